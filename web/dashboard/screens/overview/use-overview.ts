import { useEffect, useState } from 'preact/hooks';
import type { TopAnswer, TotalsAnswer } from '../../../../contract/analytics/figures.js';
import type { RequestsAnswer } from '../../../../contract/analytics/requests.js';
import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import { pollMsOf } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';

export type OverviewReads = {
  overview: Read<OverviewAnswer>;
  /** With the period before. */
  totals: Read<TotalsAnswer>;
  /** The series of all requests, for the sparklines. */
  series: Read<RequestsAnswer>;
  services: Read<TopAnswer>;
  /** The endpoints with the most errors, with the period before. */
  endpoints: Read<TopAnswer>;
  page: Read<Pick<ManagedPage, 'url'>>;
};

const overviewMs = 15_000;
const setupMs = 3_000;

/** All that the overview shows, read side by side. */
export function useOverview(): OverviewReads {
  const { slug } = usePage();
  const { range } = useAddress();
  const everyMs = pollMsOf(range, Date.now());
  const analytics = (name: string, query = {}) =>
    pagePath(slug, `/analytics/${name}`, { ...range, ...query });
  const compare = 'previous';
  return {
    overview: useOverviewRead(slug),
    totals: useRead(analytics('totals', { compare }), { everyMs }),
    series: useRead(analytics('requests'), { everyMs }),
    services: useRead(analytics('top', { by: 'service', points: '30', compare }), { everyMs }),
    endpoints: useRead(analytics('top', { by: 'endpoint', order: 'errors', limit: '20', compare }), {
      everyMs,
    }),
    page: useRead(pagePath(slug, '')),
  };
}

/** Reads often until the first event has arrived, so that each step shows soon after it is done. */
function useOverviewRead(slug: string): Read<OverviewAnswer> {
  const [isWaiting, setWaiting] = useState(false);
  const path = pagePath(slug, '/overview');
  const read = useRead<OverviewAnswer>(path, { everyMs: isWaiting ? setupMs : overviewMs });
  const waits = read.data?.checklist.event === false;
  useEffect(() => setWaiting(waits), [waits]);
  return read;
}

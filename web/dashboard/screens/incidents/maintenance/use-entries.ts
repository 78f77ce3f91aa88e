import type { ListedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import type { ListedOccurrence } from '../../../../../contract/manage/incidents/maintenance-series.js';
import { useAddress } from '../../../address/use-address.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { incidentPath } from '../../../shell/screens.js';
import type { Entry } from './month.js';

type Month = {
  incidents: Read<{ items: ListedIncident[] }>;
  occurrences: Read<{ items: ListedOccurrence[] }>;
  entries: Entry[];
};

const everyMs = 30_000;

/** Reads the entries of a calendar between two times, in milliseconds since the epoch. */
export function useEntries(slug: string, from: number, to: number): Month {
  const { path, query, to: linkTo } = useAddress();
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  // One that began before the first day may last until then: a move of a data centre takes weeks.
  const early = new Date(from - 90 * 86_400_000).toISOString();
  const incidents = useRead<{ items: ListedIncident[] }>(
    pagePath(slug, '/incidents', { type: 'maintenance', ...range, from: early, limit: '200' }),
    { everyMs },
  );
  const occurrences = useRead<{ items: ListedOccurrence[] }>(
    pagePath(slug, '/maintenance-occurrences', range),
    { everyMs },
  );
  const published = (incidents.data?.items ?? []).map(
    ({ id, title, startedAt, resolvedAt, scheduledEndAt }): Entry => {
      const end = resolvedAt ?? scheduledEndAt;
      return {
        ...{
          key: id,
          title,
          startsAt: Date.parse(startedAt),
          endsAt: end === null ? undefined : Date.parse(end),
        },
        ...{ href: incidentPath(slug, id), isPlanned: false },
      };
    },
  );
  const planned = (occurrences.data?.items ?? [])
    .filter(({ incidentId, isSkipped }) => incidentId === null && !isSkipped)
    .map(
      ({ seriesId, title, startsAt, endsAt }): Entry => ({
        ...{
          key: `${seriesId} ${startsAt}`,
          title,
          startsAt: Date.parse(startsAt),
          endsAt: Date.parse(endsAt),
        },
        ...{
          href: linkTo(path, { view: query['view'], month: query['month'], series: seriesId }),
          isPlanned: true,
        },
      }),
    );
  return { incidents, occurrences, entries: [...published, ...planned] };
}

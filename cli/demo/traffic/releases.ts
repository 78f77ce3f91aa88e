import { announceDeployment, listDeployments, noteSeenVersions } from '../../../control/deployments/index.js';
import { minuteMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { DemoDeps } from '../extent.js';
import type { FilledPage } from '../fill.js';
import { plot, plotTime, type Times } from '../plot.js';

/** A version of a service of the demo. `from`: the minute of the plot in which it came. */
export type DemoRelease = { service: string; version: string; from: number };

export const releaseEnvironment = 'production';

const day = 24 * 60;
/** The job that deploys says so when it is done. */
const announcedAfterMs = 4 * minuteMs;

/**
 * The versions of the week, the oldest of a service first. The trouble of the release of the shop begins twelve minutes
 * after its version, when caches have run out; the one of the accounts changes nothing.
 */
export const releases: readonly DemoRelease[] = [
  { service: 'shop', version: '3.18.2', from: -5 * day - 245 },
  { service: 'accounts', version: '2.7.0', from: -4 * day - 130 },
  { service: 'shop', version: '3.19.0', from: plot.release.from - 12 },
  { service: 'accounts', version: '2.7.1', from: -day - 95 },
];

/** Returns the version of a service at a time, in milliseconds since the epoch; `undefined` before its first. */
export function releaseAt(
  service: string | undefined,
  at: number,
  times: Pick<Times, 'filledAt'>,
): DemoRelease | undefined {
  return releases.findLast((one) => one.service === service && plotTime(one.from, times) <= at);
}

/** Notes the versions as deployments of a page that has none: seen when they came, and announced by a job with its address. */
export async function writeReleases(
  { sql, by }: DemoDeps,
  { page }: Pick<FilledPage, 'page'>,
  times: Pick<Times, 'filledAt'>,
): Promise<void> {
  const pageId = page.id;
  if ((await listDeployments({ sql }, { pageId }, { limit: 1 })).length > 0) return;
  for (const [place, { service, version, from }] of releases.entries()) {
    const at = plotTime(from, times);
    const key = { service, version, environment: releaseEnvironment };
    await inTransaction(sql, (tx) => noteSeenVersions(tx, pageId, [key], at));
    await announceDeployment(
      { sql, by, clock: { now: () => at + announcedAfterMs } },
      { pageId, ...key, url: `https://ci.example.com/${service}/runs/${1_840 + place}` },
    );
  }
}

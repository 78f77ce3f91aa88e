import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { AlarmSource, Trouble } from './alarm-source.js';
import { certificateAlarms } from './certificate-alarms.js';
import { deliveryAlarms } from './delivery-alarms.js';
import { failureRateAlarms } from './failure-rate-alarms.js';
import { monitorAlarms } from './monitor-alarms.js';
import { reporterAlarms, type WatchedReporter } from './reporter-alarms.js';
import { listWatchedPages, settleAlarms } from './settle-alarms.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/**
 * Tells the channels of pages which monitors, certificates, failure rates and deliveries are in trouble, and which no
 * longer are.
 *
 * @throws Error when some pages failed, after all others are done.
 */
export async function watchAlarms(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const failed: string[] = [];
  for (const source of [monitorAlarms, certificateAlarms, failureRateAlarms, deliveryAlarms]) {
    failed.push(...(await settleAll(deps, source(deps.sql, now))));
  }
  if (failed.length > 0) throw new Error(`Alarms could not be settled: ${failed.join(', ')}.`);
}

/** Settles one source on every page. Returns what failed. */
async function settleAll(deps: Deps, source: AlarmSource): Promise<string[]> {
  const pageIds = await listWatchedPages(deps.sql, source.topic);
  if (pageIds.length === 0) return [];
  const troubles = groupByPage(await source.load(pageIds));
  const failed: string[] = [];
  for (const pageId of pageIds) {
    try {
      await settleAlarms(deps, source, pageId, troubles.get(pageId) ?? []);
    } catch (err) {
      failed.push(`${source.topic} of ${pageId}`);
      deps.log.error({ pageId, topic: source.topic, err }, 'The alarms of a page could not be settled.');
    }
  }
  return failed;
}

function groupByPage(troubles: readonly Trouble[]): ReadonlyMap<PageId, Trouble[]> {
  const groups = new Map<PageId, Trouble[]>();
  for (const trouble of troubles) {
    const group = groups.get(trouble.pageId);
    if (group === undefined) groups.set(trouble.pageId, [trouble]);
    else group.push(trouble);
  }
  return groups;
}

/** Pages whose reporters are loaded at once, so that a few own event stores that hang delay no other page. */
const lanes = 8;

/**
 * Tells the channels of pages which reporters are silent. A page whose event store fails keeps its alarms as they are.
 *
 * @throws ServiceError `storeUnavailable` when the installation's ClickHouse is unavailable; Error when some pages failed,
 *   after all others are done.
 */
export async function watchReporters(
  deps: Deps & { loadReporters(pageId: PageId): Promise<WatchedReporter[]> },
): Promise<void> {
  const now = deps.clock.now();
  const left = (await listWatchedPages(deps.sql, 'reporter')).values();
  let outage: ServiceError | undefined;
  let failures = 0;

  async function watchNext(): Promise<void> {
    for (const pageId of left) {
      if (outage !== undefined) return;
      try {
        const source = reporterAlarms(pageId, await deps.loadReporters(pageId), now);
        await settleAlarms(deps, source, pageId, await source.load([pageId]));
      } catch (err) {
        if (err instanceof ServiceError && err.kind === 'storeUnavailable') outage = err;
        else if (err instanceof ServiceError && err.kind === 'ownStoreUnavailable')
          deps.log.warn(
            { pageId, error: err.message },
            'The reporters of a page are in an event store that fails.',
          );
        else {
          failures += 1;
          deps.log.error({ pageId, err }, 'The reporters of a page could not be watched.');
        }
      }
    }
  }

  await Promise.all(Array.from({ length: lanes }, watchNext));
  if (outage !== undefined) throw outage;
  if (failures > 0) throw new Error(`The reporters of ${failures} pages could not be watched.`);
}

import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { deliveryAlarms } from './delivery-alarms.js';
import { listWatchedPages, settleAlarms } from './settle-alarms.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/**
 * Tells the channels of pages which deliveries are behind, and which no longer are.
 *
 * @throws Error when some pages failed, after all others are done.
 */
export async function watchAlarms(deps: Deps): Promise<void> {
  const source = deliveryAlarms(deps.sql, deps.clock.now());
  const pageIds = await listWatchedPages(deps.sql, source.topic);
  if (pageIds.length === 0) return;
  const troubles = groupBy(await source.load(pageIds), ({ pageId }) => pageId);
  let failures = 0;
  for (const pageId of pageIds) {
    try {
      await settleAlarms(deps, source, pageId, troubles.get(pageId) ?? []);
    } catch (err) {
      failures += 1;
      deps.log.error({ pageId, topic: source.topic, err }, 'The alarms of a page could not be settled.');
    }
  }
  if (failures > 0) throw new Error(`The alarms of ${failures} pages could not be settled.`);
}

import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';

type Deps = {
  sql: Sql;
  /** Returns where to read the events of a page now. */
  clickhouseOf(pageId: PageId): EventReader;
  clock: Clock;
  log: Log;
};

/** Below this share of a limit, unused names of a page do no harm and are left alone. */
const crowdedShare = 0.5;
/** The first rows of a new name may still be on their way. */
const graceMs = dayMs;
/** Twice the names that a page may have: names that were deleted may still have rows. */
const namesMax = 2 * limits.endpointsPerPage;
const nameRow = rowType(Row({ name: columns.text }));

/**
 * Makes room on pages that near their limit of endpoints or services: deletes the names without rows, which are those
 * without an event within the retention. Reporters never expire. A page whose own store does not answer has its turn an
 * hour later.
 *
 * An instance that still holds a deleted name accepts events under it until it rechecks, for ten minutes at most.
 */
export async function pruneNames(deps: Deps): Promise<void> {
  const crowded = await deps.sql<{ page_id: PageId }[]>`
    SELECT page_id FROM page_name_counts
    WHERE endpoints > ${Math.floor(limits.endpointsPerPage * crowdedShare)}
       OR sources > ${Math.floor(limits.sourcesPerPage * crowdedShare)}`;
  for (const { page_id: pageId } of crowded) {
    try {
      const [endpoints, services] = await Promise.all([
        loadNamesInUse(deps, pageId, 'endpoint', ''),
        loadNamesInUse(deps, pageId, 'service', "AND kind = 'service'"),
      ]);
      const removed = await deleteOthers(deps, pageId, endpoints, services);
      deps.log.info({ pageId, ...removed }, 'Unused names of a page were deleted.');
    } catch (err) {
      deps.log.error({ pageId, err }, 'Unused names of a page could not be deleted.');
    }
  }
}

async function loadNamesInUse(
  { clickhouseOf, clock }: Deps,
  pageId: PageId,
  column: 'endpoint' | 'service',
  filter: string,
): Promise<string[]> {
  const rows = await loadEventRows(clickhouseOf(pageId), nameRow, {
    // The table keeps hours for longer than names.
    query: `SELECT DISTINCT ${column} AS name FROM requests_hour
      WHERE page_id = {page:UUID} AND hour >= toDateTime({from:UInt32}, 'UTC') ${filter}`,
    parameters: {
      page: pageId,
      from: Math.floor((clock.now() - limits.eventRetentionDays * dayMs - hourMs) / 1000),
    },
    rowsMax: namesMax,
  });
  return rows.map(({ name }) => name);
}

async function deleteOthers(
  { sql, clock }: Deps,
  pageId: PageId,
  endpoints: readonly string[],
  services: readonly string[],
): Promise<{ endpoints: number; services: number }> {
  const before = new Date(clock.now() - graceMs);
  return await inTransaction(sql, async (tx) => {
    await tx`SELECT 1 FROM page_name_counts WHERE page_id = ${pageId} FOR UPDATE`;
    const deletedEndpoints = await tx`
      DELETE FROM endpoints
      WHERE page_id = ${pageId} AND first_seen_at < ${before} AND endpoint <> ALL(${[...endpoints]}::text[])`;
    const deletedServices = await tx`
      DELETE FROM sources
      WHERE page_id = ${pageId} AND kind = 'service' AND first_seen_at < ${before}
        AND source <> ALL(${[...services]}::text[])`;
    await tx`
      UPDATE page_name_counts SET
        endpoints = (SELECT count(*) FROM endpoints WHERE page_id = ${pageId}),
        sources = (SELECT count(*) FROM sources WHERE page_id = ${pageId})
      WHERE page_id = ${pageId}`;
    return { endpoints: deletedEndpoints.count, services: deletedServices.count };
  });
}

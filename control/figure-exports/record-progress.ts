import { pauseMsAfter } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { FigureExport } from './figure-export.js';
import type { TableProgress } from './next-piece.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/** A bucket that was full or closed is tried again within an hour of its repair. */
const backOff = { firstMs: minuteMs, maxMs: hourMs, jitter: 0.2 };

/**
 * Records that a page has its turn in the run that began at `now`: until its next attempt, pages that have waited longer come
 * first. Otherwise a few pages that cannot be read, each for as long as a read may take, would keep all others from theirs.
 *
 * @param now milliseconds since the epoch
 */
export async function recordTurn(
  { sql }: Pick<Deps, 'sql'>,
  { pageId, revision }: FigureExport,
  now: number,
): Promise<void> {
  await sql`
    update figure_exports set next_attempt_at = greatest(next_attempt_at, ${new Date(now)})
    where page_id = ${pageId} and revision = ${revision}`;
}

/**
 * Moves a table on. Returns whether it did: it does not when the settings have changed or another run has moved it since it was read,
 * and the hour is put again.
 */
export async function moveTable(
  { sql }: Deps,
  { pageId, revision }: FigureExport,
  { before, after }: { before: TableProgress; after: TableProgress },
): Promise<boolean> {
  const { count } = await sql`
    update figure_export_tables t
    set exported_until = ${new Date(after.exportedUntil)}, final_until = ${new Date(after.finalUntil)}
    from figure_exports e
    where e.page_id = ${pageId} and e.revision = ${revision} and t.page_id = e.page_id and t.name = ${before.table}
      and t.exported_until = ${new Date(before.exportedUntil)} and t.final_until = ${new Date(before.finalUntil)}`;
  return count === 1;
}

/** Records that objects were put. Failures before count on until every table that was due has been put. */
export async function recordPuts(
  { sql, clock }: Deps,
  { pageId, revision }: FigureExport,
  isWhole: boolean,
): Promise<void> {
  const now = new Date(clock.now());
  await sql`
    update figure_exports set last_put_at = ${now},
      failures = case when ${isWhole} then 0 else failures end,
      failing_since = case when ${isWhole} then null else failing_since end,
      last_error = case when ${isWhole} then null else last_error end
    where page_id = ${pageId} and revision = ${revision}`;
}

export async function recordFailure(
  { sql, clock, log }: Deps,
  { pageId, revision, failures }: FigureExport,
  reason: string,
): Promise<void> {
  log.warn({ pageId, reason }, 'The figures of a page could not be exported.');
  const now = clock.now();
  await sql`
    update figure_exports set failures = failures + 1, failing_since = coalesce(failing_since, ${new Date(now)}),
      last_error = ${reason}, next_attempt_at = ${new Date(now + pauseMsAfter(failures + 1, backOff))}
    where page_id = ${pageId} and revision = ${revision}`;
}

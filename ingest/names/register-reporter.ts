import type { Reporter } from '../../contract/events.js';
import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { lockCounts } from './lock-counts.js';

/**
 * Stores what a reporter says of itself. When the reporter is new and the page has no room for another source,
 * it answers the ids of the reporters that the page has, and undefined otherwise: a known one is never refused.
 */
export async function registerReporter(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
  reporter: Reporter,
): Promise<Set<string> | undefined> {
  if (await update(sql, pageId, reporter)) return undefined;
  return await inTransaction(sql, async (tx) => {
    const counts = await lockCounts(tx, pageId);
    if (await update(tx, pageId, reporter)) return undefined;
    if (counts.sources >= limits.sourcesPerPage) return await allReporters(tx, pageId);
    await tx`
      INSERT INTO sources (page_id, kind, source, name, region, team, expected_every_seconds, first_seen_at)
      VALUES (${pageId}, 'reporter', ${reporter.reporterId}, ${reporter.englishName}, ${reporter.region ?? null},
              ${reporter.team ?? null}, ${reporter.expectedEverySeconds ?? null}, ${new Date(clock.now())})`;
    await tx`UPDATE page_name_counts SET sources = sources + 1 WHERE page_id = ${pageId}`;
    return undefined;
  });
}

async function update(sql: Sql | Transaction, pageId: PageId, reporter: Reporter): Promise<boolean> {
  const updated = await sql`
    UPDATE sources
    SET name = ${reporter.englishName}, region = ${reporter.region ?? null}, team = ${reporter.team ?? null},
        expected_every_seconds = ${reporter.expectedEverySeconds ?? null}
    WHERE page_id = ${pageId} AND kind = 'reporter' AND source = ${reporter.reporterId}`;
  return updated.count > 0;
}

async function allReporters(tx: Transaction, pageId: PageId): Promise<Set<string>> {
  const rows = await tx<{ source: string }[]>`
    SELECT source FROM sources WHERE page_id = ${pageId} AND kind = 'reporter'`;
  return new Set(rows.map((row) => row.source));
}

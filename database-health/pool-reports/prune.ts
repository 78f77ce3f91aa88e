import type { Clock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';

/** A report may come until a quarter of an hour after its interval, and repeats none that ended before that. */
const reportsKeptMs = 3_600_000;
const sessionsKeptMs = 2 * 3_600_000;
/** The embedded PostgreSQL does one thing at a time, so that reports would wait for a long statement. */
const rowsAtOnce = 1_000;

/** Forgets reports and sessions that nothing can repeat any more. */
export async function pruneReports({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const reportsBefore = new Date(clock.now() - reportsKeptMs);
  await repeat(
    () => sql`
      delete from pool_reports where ctid in (
        select ctid from pool_reports where to_at < ${reportsBefore} limit ${rowsAtOnce}
      )`,
  );
  const sessionsBefore = new Date(clock.now() - sessionsKeptMs);
  // One that is locked has just sent a report. One that has reports is kept, though they are usually forgotten before it:
  // after the clock was put back they are not, and a report that is held without its session cannot be written down.
  await sql`
    delete from pool_sessions where ctid in (
      select ctid from pool_sessions as old
      where last_report_at < ${sessionsBefore}
        and not exists (select 1 from pool_reports where page_id = old.page_id and session = old.session)
      for update skip locked
    )`;
}

async function repeat(deleteSome: () => Promise<{ count: number }>): Promise<void> {
  while ((await deleteSome()).count === rowsAtOnce);
}

import type { Clock } from '../../lib/clock.js';
import { hourMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';

/** A report may arrive until a quarter of an hour after its interval, and repeats no report that ended before that. */
const reportsKeptMs = hourMs;
const sessionsKeptMs = 2 * hourMs;
/** The embedded PostgreSQL runs one statement at a time: reports wait for a long one. */
const rowsAtOnce = 1_000;

/** Deletes what PostgreSQL remembers of reports and sessions that nothing can repeat any more. */
export async function pruneReports({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const reportsBefore = new Date(clock.now() - reportsKeptMs);
  await repeat(
    () => sql`
      delete from pool_reports where ctid in (
        select ctid from pool_reports where to_at < ${reportsBefore} limit ${rowsAtOnce}
      )`,
  );
  const sessionsBefore = new Date(clock.now() - sessionsKeptMs);
  // A locked session has just sent a report. A session with reports is kept: reports are usually deleted first, but not
  // after the clock was put back, and a report cannot be stored without its session.
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

import type { Clock } from '../../../lib/clock.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type FinishedCheck, nextDueAt } from './finished-check.js';

/**
 * Writes down of each monitor when it is due next and what its check came to, in one statement. Where the claim is
 * no longer ours, because it lapsed or the monitor was changed or paused meanwhile, nothing is written.
 */
export async function moveSchedule(
  { sql, clock }: { sql: Sql; clock: Clock },
  finished: readonly FinishedCheck[],
): Promise<void> {
  const now = clock.now();
  const moves = finished.map(({ check, at, outcome, state, failures }) => ({
    id: check.monitorId,
    claimed_until: check.claimedUntil.toISOString(),
    next_due_at: new Date(nextDueAt(check, now)).toISOString(),
    at: new Date(at).toISOString(),
    state,
    failures,
    error: outcome.ok ? null : `${outcome.error}: ${outcome.detail}`,
  }));
  await sql`
    update monitors m set next_due_at = mine.next_due_at, claimed_until = null, last_checked_at = mine.at,
      last_error = mine.error, failures = mine.failures, state = mine.state,
      state_since = case when m.state is distinct from mine.state then mine.at else m.state_since end
    from (
      select r.* from monitors m join jsonb_to_recordset(${sql.json(moves)}) as r (id uuid,
          claimed_until timestamptz, next_due_at timestamptz, at timestamptz, state text, failures integer, error text)
        on m.id = r.id and m.claimed_until = r.claimed_until
      order by m.id for update of m) mine
    where m.id = mine.id`;
}

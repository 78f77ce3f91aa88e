import type { MonitorState } from '../../contract/monitors.js';
import type { MonitorId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** The newest of the checks of a monitor, and what it counts as since when. */
export type NewestCheck = {
  monitorId: MonitorId;
  at: Date;
  ok: boolean;
  state: MonitorState;
  stateSince: Date;
};

/**
 * Makes the state of monitors that of the newest checks which were imported for them, where these are newer than the
 * last one known. The service makes no checks of its own of them from then on: theirs come from elsewhere.
 */
export async function noteImportedChecks(
  { sql }: { sql: Sql },
  checks: readonly NewestCheck[],
): Promise<void> {
  const rows = checks.map(({ monitorId, at, ok, state, stateSince }) => ({
    id: monitorId,
    at: at.toISOString(),
    since: stateSince.toISOString(),
    ...{ state, ok },
  }));
  await sql`
    update monitors m set last_checked_at = r.at, state = r.state, next_due_at = null, claimed_until = null,
      state_since = case when m.state is distinct from r.state then r.since else m.state_since end,
      last_error = case when r.ok then null else 'imported: The check failed.' end
    from jsonb_to_recordset(${sql.json(rows)}) as r (id uuid, at timestamptz, since timestamptz, state text, ok boolean)
    where m.id = r.id and m.paused_at is null and (m.last_checked_at is null or m.last_checked_at < r.at)`;
}

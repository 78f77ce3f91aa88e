import { monitorLimits } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { isUnclaimed } from '../../../sql/claim.js';
import type { Fragment, Sql } from '../../../sql/open-postgres.js';
import type { Check, ClaimedCheck, FinishedCheck } from './decide-state.js';

/** Selects the columns of a Check; `m` is the monitor. */
function checkColumns(sql: Sql, now: number): Fragment {
  return sql`
    m.id as "monitorId", m.page_id as "pageId", m.kind, m.url, m.options, m.secrets,
    m.every_seconds as "everySeconds", m.timeout_ms as "timeoutMs", m.failures_to_down as "failuresToDown",
    m.degraded_over_ms as "degradedOverMs", m.slow_checks as "slowChecks",
    m.state, m.failures, m.failing_since as "failingSince", m.unobserved_since as "unobservedSince",
    m.last_ping_at as "lastPingAt", m.ping_failure as "pingFailure",
    greatest(m.last_ping_at, m.resumed_at, m.created_at) as "heardAt",
    ${new Date(now)}::timestamptz as "readAt"`;
}

/** Loads the check of a monitor outside its schedule. Returns `undefined` when the monitor does not exist. */
export async function loadCheck(
  { sql, clock }: { sql: Sql; clock: Clock },
  id: MonitorId,
): Promise<Check | undefined> {
  const [check] = await sql<
    Check[]
  >`select ${checkColumns(sql, clock.now())} from monitors m where m.id = ${id}`;
  return check;
}

/** Checks are claimed up to this long before they are due, so that each can start on time. */
const claimAheadMs = 1_500;

/** A claim lasts this long beyond the timeout of its check: for waiting, storing the result, and clock differences. */
const leaseMs = 30_000;

const leaseMsMax = claimAheadMs + monitorLimits.timeoutMsMax + leaseMs;

type Room = {
  /** Most checks to claim. */
  room: number;
  /** Pages with as many checks in this instance as one page may have. */
  fullPages: readonly PageId[];
};

/** Claims checks that are due or nearly due, the longest due first. Includes checks whose claim has lapsed. */
export async function claimChecks(
  { sql, clock }: { sql: Sql; clock: Clock },
  { room, fullPages }: Room,
): Promise<ClaimedCheck[]> {
  const now = clock.now();
  return sql<ClaimedCheck[]>`
    with due as (
      select id from monitors
      where next_due_at <= ${new Date(now + claimAheadMs)}
        and ${isUnclaimed(sql, 'claimed_until', { now, leaseMs: leaseMsMax })}
        and page_id <> all(${[...fullPages]}::uuid[])
      order by next_due_at limit ${room} for update skip locked)
    update monitors m set claimed_until = date_trunc('milliseconds',
      greatest(m.next_due_at, ${new Date(now)}) + make_interval(secs => (m.timeout_ms + ${leaseMs}) / 1000.0))
    from due where m.id = due.id
    returning ${checkColumns(sql, now)}, m.next_due_at as "dueAt", m.claimed_until as "claimedUntil"`;
}

/** Gives back claims of checks that this instance will not make. Another instance can take them at once. */
export async function releaseChecks(sql: Sql, checks: readonly ClaimedCheck[]): Promise<void> {
  if (checks.length === 0) return;
  const claims = checks.map(({ monitorId, claimedUntil }) => ({
    id: monitorId,
    until: claimedUntil.toISOString(),
  }));
  await sql`
    update monitors m set claimed_until = null
    from (
      select m.id from monitors m join jsonb_to_recordset(${sql.json(claims)}) as c (id uuid, until timestamptz)
        on m.id = c.id and m.claimed_until = c.until
      order by m.id for update of m) mine
    where m.id = mine.id`;
}

/** Returns the next time on the grid of the schedule. Missed checks are not made later. */
function nextDueAt({ dueAt, everySeconds }: ClaimedCheck, now: number): number {
  const everyMs = everySeconds * 1000;
  const passed = Math.max(0, Math.floor((now - dueAt.getTime()) / everyMs));
  return dueAt.getTime() + (passed + 1) * everyMs;
}

/** Returns a check as the statement below takes it; `null` keeps what is stored. */
function toMove(finished: FinishedCheck) {
  if ('problem' in finished) {
    const { check, at, problem } = finished;
    const isWaiting = problem.unobserved === 'waiting';
    return {
      ...{ at: null, since: null, state: check.state, failures: check.failures },
      failing_since: check.failingSince?.toISOString() ?? null,
      ...{ slow: check.slowChecks, answered: false, certificate_ends_at: null },
      unobserved_since: isWaiting ? null : (check.unobservedSince ?? new Date(at)).toISOString(),
      error: isWaiting ? null : `${problem.unobserved}: ${problem.message}`,
    };
  }
  const { at, outcome, state, stateSince, failures, failingSince, slowChecks } = finished;
  return {
    ...{ at: new Date(at).toISOString(), since: new Date(stateSince).toISOString(), state, failures },
    failing_since: failingSince === null ? null : new Date(failingSince).toISOString(),
    slow: slowChecks,
    answered: outcome.certificateEndsAt !== undefined,
    certificate_ends_at:
      typeof outcome.certificateEndsAt === 'number'
        ? new Date(outcome.certificateEndsAt).toISOString()
        : null,
    unobserved_since: null,
    error: outcome.ok ? null : `${outcome.error}: ${outcome.detail}`,
  };
}

/**
 * Writes the result of each check and when its monitor is due next, in one statement. Writes nothing for a check whose
 * claim is lost because it lapsed, or because the monitor was changed or paused meanwhile.
 */
export async function moveSchedule(
  { sql, clock }: { sql: Sql; clock: Clock },
  finished: readonly FinishedCheck[],
): Promise<void> {
  const now = clock.now();
  const moves = finished.map((one) => ({
    id: one.check.monitorId,
    claimed_until: one.check.claimedUntil.toISOString(),
    next_due_at: new Date(nextDueAt(one.check, now)).toISOString(),
    ...toMove(one),
  }));
  await sql`
    update monitors m set next_due_at = mine.next_due_at, claimed_until = null,
      last_checked_at = coalesce(mine.at, m.last_checked_at), last_error = mine.error, failures = mine.failures,
      failing_since = mine.failing_since, slow_checks = mine.slow,
      degraded_since = case when mine.slow >= m.failures_to_down then coalesce(m.degraded_since, mine.at) end,
      certificate_ends_at = case when mine.answered then mine.certificate_ends_at else m.certificate_ends_at end,
      unobserved_since = mine.unobserved_since, state = mine.state,
      state_since = case when m.state is distinct from mine.state then mine.since else m.state_since end
    from (
      select r.* from monitors m join jsonb_to_recordset(${sql.json(moves)}) as r (id uuid,
          claimed_until timestamptz, next_due_at timestamptz, at timestamptz, since timestamptz, state text,
          failures integer, failing_since timestamptz, slow integer, answered boolean, certificate_ends_at timestamptz,
          unobserved_since timestamptz, error text)
        on m.id = r.id and m.claimed_until = r.claimed_until
      order by m.id for update of m) mine
    where m.id = mine.id`;
}

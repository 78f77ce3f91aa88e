import {
  type HeartbeatOptions,
  type HttpOptions,
  type MonitorKind,
  type MonitorState,
  monitorLimits,
} from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { isUnclaimed } from '../../../sql/claim.js';
import type { Fragment, Sql } from '../../../sql/open-postgres.js';
import type { Outcome, ProbeError } from './outcome.js';

/** A monitor, as far as one check of it needs it. */
export type Check = {
  monitorId: MonitorId;
  pageId: PageId;
  kind: MonitorKind;
  url: string | null;
  options: Partial<HttpOptions & HeartbeatOptions>;
  /** Sealed headers and body of the request. */
  secrets: Buffer | null;
  everySeconds: number;
  timeoutMs: number;
  failuresToDown: number;
  /** A check that passes and takes longer is slow; null when none is. */
  degradedOverMs: number | null;
  state: MonitorState | null;
  failures: number;
  failingSince: Date | null;
  /** Slow checks in a row. */
  slowChecks: number;
  /** Since when its checks could not be made; null when the last one was. */
  unobservedSince: Date | null;
  /** For a heartbeat: null until it is called. */
  lastPingAt: Date | null;
  /** For a heartbeat: the failure that its newest ping reported, as a sentence. */
  pingFailure: string | null;
  /** For a heartbeat: its last ping, or the time it was created or resumed if that was later. */
  heardAt: Date;
  /** When the row was read. */
  readAt: Date;
};

/** The columns of a Check; `m` is the monitor. */
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

/** The check of a monitor outside its schedule. Returns `undefined` when the monitor does not exist. */
export async function loadCheck(
  { sql, clock }: { sql: Sql; clock: Clock },
  id: MonitorId,
): Promise<Check | undefined> {
  const [check] = await sql<
    Check[]
  >`select ${checkColumns(sql, clock.now())} from monitors m where m.id = ${id}`;
  return check;
}

/** A check that only this instance makes, until `claimedUntil`. */
export type ClaimedCheck = Check & { dueAt: Date; claimedUntil: Date };

/** Checks are claimed up to this long before they are due, so that each can start on time. */
const claimAheadMs = 1_500;
/** A claim lasts this long beyond the timeout of its check: for waiting, storing the result, and clock differences. */
const leaseMs = 30_000;
const leaseMsMax = claimAheadMs + monitorLimits.timeoutMsMax + leaseMs;

export type Room = {
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

/** A check with its outcome, and the state of the monitor after it. Times are in milliseconds since the epoch. */
export type MadeCheck = {
  check: ClaimedCheck;
  /** Start of the check. */
  at: number;
  outcome: Outcome;
  /** null until a monitor was up, or has failed often enough to be down. */
  state: MonitorState | null;
  /** When the state began, if it is another than before the check. */
  stateSince: number;
  failures: number;
  failingSince: number | null;
  /** Slow checks in a row. */
  slowChecks: number;
  /** Whether the monitor is up, and too slow. */
  degraded: boolean;
};

/** A check that observed nothing. State and failures of the monitor stay as they are. */
export type UnmadeCheck = { check: ClaimedCheck; at: number; problem: ProbeError };

export type FinishedCheck = MadeCheck | UnmadeCheck;

/**
 * Up after one check that passes; down after as many failures in a row as the monitor is set to, and at once when a job
 * reports its failure: it is certain, and the job says nothing more until its next run. A monitor that was never
 * up is then down since the first of them, because nothing says that it was up before.
 */
export function finishCheck(check: ClaimedCheck, at: number, outcome: Outcome): MadeCheck {
  const made = { check, at, outcome, ...countSlow(check, outcome) };
  if (outcome.ok) return { ...made, state: 'up', stateSince: at, failures: 0, failingSince: null };
  const failures = check.failures + 1;
  const failingSince = check.failingSince?.getTime() ?? at;
  return {
    ...made,
    ...{ failures, failingSince },
    state: failures >= check.failuresToDown || outcome.error === 'reported' ? 'down' : check.state,
    stateSince: check.state === null ? failingSince : at,
  };
}

/**
 * Degraded after as many slow checks in a row as have to fail for down, until one that is fast enough. A failed check is
 * neither: it has another answer, or none.
 */
function countSlow(
  { degradedOverMs, slowChecks: before, failuresToDown }: Check,
  { ok, totalMs }: Outcome,
): Pick<MadeCheck, 'slowChecks' | 'degraded'> {
  if (!ok) return { slowChecks: before, degraded: false };
  const isSlow = degradedOverMs !== null && totalMs !== null && totalMs > degradedOverMs;
  const slowChecks = isSlow ? before + 1 : 0;
  return { slowChecks, degraded: slowChecks >= failuresToDown };
}

/** The next time on the grid of the schedule. Missed checks are not made later. */
function nextDueAt({ dueAt, everySeconds }: ClaimedCheck, now: number): number {
  const everyMs = everySeconds * 1000;
  const passed = Math.max(0, Math.floor((now - dueAt.getTime()) / everyMs));
  return dueAt.getTime() + (passed + 1) * everyMs;
}

/** A check as the statement below takes it; `null` keeps what is stored. */
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

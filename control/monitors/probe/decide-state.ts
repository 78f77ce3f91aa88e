import type { HeartbeatOptions, HttpOptions, MonitorKind, MonitorState } from '../../../contract/monitors.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
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

/** A check that only this instance makes, until `claimedUntil`. */
export type ClaimedCheck = Check & { dueAt: Date; claimedUntil: Date };

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
type UnmadeCheck = { check: ClaimedCheck; at: number; problem: ProbeError };

export type FinishedCheck = MadeCheck | UnmadeCheck;

/**
 * Decides the state of a monitor after a check: up after one that passes; down after as many failures in a row as the monitor is set to, and at once when a job
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
 * Decides whether a monitor is degraded: after as many slow checks in a row as have to fail for down, until one that is fast enough. A failed check is
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

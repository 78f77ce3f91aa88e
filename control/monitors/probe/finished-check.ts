import type { MonitorState } from '../../../contract/monitors.js';
import type { ClaimedCheck } from './claim-checks.js';
import type { Outcome } from './outcome.js';

/** A check with its outcome, and what the monitor counts as after it. */
export type FinishedCheck = {
  check: ClaimedCheck;
  /** When it began, milliseconds since the epoch. */
  at: number;
  outcome: Outcome;
  /** null while a monitor that was never up has not failed often enough to be down. */
  state: MonitorState | null;
  failures: number;
};

/** Up after one check that passed; down after as many failures in a row as the monitor says. */
export function finishCheck(check: ClaimedCheck, at: number, outcome: Outcome): FinishedCheck {
  if (outcome.ok) return { check, at, outcome, state: 'up', failures: 0 };
  const failures = check.failures + 1;
  return { check, at, outcome, state: failures >= check.failuresToDown ? 'down' : check.state, failures };
}

/** The first time on the grid of the schedule that is not past: what was missed is not made up for. */
export function nextDueAt({ dueAt, everySeconds }: ClaimedCheck, now: number): number {
  const everyMs = everySeconds * 1000;
  const passed = Math.max(0, Math.floor((now - dueAt.getTime()) / everyMs));
  return dueAt.getTime() + (passed + 1) * everyMs;
}

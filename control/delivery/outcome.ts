import { type AttemptSchedule, nextAskedAt } from '../../lib/back-off.js';

/** The outcome of one attempt, as its transport reports it. */
export type Outcome = {
  /** Why the attempt failed; `null` when it succeeded. */
  error: string | null;
  /** Whether another attempt may succeed. */
  mayRepeat: boolean;
  /** When the receiver asks to be called again, in milliseconds since the epoch. */
  askedAt?: number | undefined;
  /** The receiver has another address now: the next attempt needs no pause. */
  hasMoved?: boolean;
};

/** How a queue repeats attempts. */
export type RetryRules = {
  schedule: AttemptSchedule;
  /** Returns the reason that is stored after a failed attempt; the error of the attempt when absent. */
  reasonOf?(outcome: Outcome, after: { state: 'pending' | 'parked'; attempts: number }): string | null;
};

/** The attempts so far. */
export type Tried = {
  /** Number of the last attempt, from 1. */
  attempts: number;
  /** Attempts before it was sent again, which the schedule does not count; 0 when absent. */
  attemptsBefore?: number;
  /** It is of no use from then on, and is not sent; never when absent. */
  expiresAt?: Date;
};

/** The state after an attempt. A parked row waits until somebody sends it again. */
export type Next =
  | { state: 'delivered'; reason: null }
  /** `at` is when the next attempt is due, in milliseconds since the epoch. */
  | { state: 'pending'; at: number; reason: string | null }
  | { state: 'parked'; reason: string | null };

/**
 * Returns the state after an attempt. Every delivery is retried by this rule: after the pauses of its schedule, later when
 * the receiver asks for it, and not at all after the last attempt, when no attempt can succeed, or when it expires before.
 *
 * @param now milliseconds since the epoch
 */
export function nextOf(
  { schedule, reasonOf = ({ error }) => error }: RetryRules,
  { attempts: started, attemptsBefore = 0, expiresAt }: Tried,
  outcome: Outcome,
  now: number,
): Next {
  if (outcome.error === null) return { state: 'delivered', reason: null };
  const attempts = started - attemptsBefore;
  const at = nextAttempt(schedule, attempts, outcome, now);
  if (at === undefined || (expiresAt !== undefined && at >= expiresAt.getTime())) {
    return { state: 'parked', reason: reasonOf(outcome, { state: 'parked', attempts }) };
  }
  return { state: 'pending', at, reason: reasonOf(outcome, { state: 'pending', attempts }) };
}

/** A row whose receiver has moved is sent at once, and not more often than any other. */
function nextAttempt(
  schedule: AttemptSchedule,
  attempts: number,
  { mayRepeat, askedAt, hasMoved = false }: Outcome,
  now: number,
): number | undefined {
  if (!mayRepeat && !hasMoved) return undefined;
  const at = nextAskedAt(schedule, attempts, { now, askedAt });
  return hasMoved && at !== undefined ? now : at;
}

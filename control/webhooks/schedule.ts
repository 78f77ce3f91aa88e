import type { AttemptSchedule } from '../../lib/back-off.js';
import { secondMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';

/** Limit of a whole attempt: resolving, connecting, sending and reading the answer. */
export const attemptTimeoutMs = 20 * secondMs;
/** Time after a claim in which an attempt may start. Composing the bodies of a claim may take as long as its queries may. */
export const startWithinMs = 30 * secondMs;
/** An attempt ends at most 50 s after its claim, whatever the clock of another instance says. */
export const leaseMs = startWithinMs + attemptTimeoutMs + clocksDifferMsMax;

/**
 * Ten attempts in 76 to 83 hours: the pauses that the Standard Webhooks specification recommends. A receiver that fails
 * on a Friday evening is tried until Monday night.
 */
export const deliverySchedule: AttemptSchedule = {
  pausesSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  jitter: 0.1,
};

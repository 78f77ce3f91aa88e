import type { HeartbeatOptions } from '../../../contract/monitors.js';
import { noPhases, type Outcome } from './outcome.js';

/**
 * Whether a ping came lately enough, as it was when the monitor was read: a ping that came since is not missed.
 *
 * @param heardAt when the last ping came, or, when that was later, when the monitor was made or resumed.
 */
export function checkHeartbeat(
  { periodSeconds, graceSeconds }: HeartbeatOptions,
  { heardAt, readAt }: { heardAt: Date; readAt: Date },
): Outcome {
  const ageMs = readAt.getTime() - heardAt.getTime();
  const nothing = { ...noPhases, status: null, totalMs: null };
  if (ageMs <= (periodSeconds + graceSeconds) * 1000) {
    return { ...nothing, ok: true, error: null, detail: null };
  }
  return { ...nothing, ok: false, error: 'late', detail: `No ping for ${Math.floor(ageMs / 1000)} s.` };
}

import { type BackOff, pauseMsAfter } from '../back-off.js';
import type { Closing } from './outbox.js';

export type RetryOptions = {
  backOff: BackOff;
  closing: Closing;
  /** No attempt begins later than this after the first one, in milliseconds; unbounded when absent. */
  giveUpAfterMs?: number;
  /** No attempt begins later than this after the outbox began to close, in milliseconds; as while it is open when absent. */
  giveUpAfterCloseMs?: number;
};

/**
 * Repeats `attempt` with growing pauses until it resolves to a value. Resolves to `undefined` when it gives up. The
 * attempt is the same each time, bytes and token: one whose answer was lost may have succeeded. A close ends the
 * current pause. Measures with a monotonic clock, because the time may be corrected meanwhile.
 *
 * @throws what `attempt` throws: that ends the attempts.
 */
export async function retry<Result>(
  attempt: () => Promise<Result | undefined>,
  {
    backOff,
    closing,
    giveUpAfterMs = Number.POSITIVE_INFINITY,
    giveUpAfterCloseMs = Number.POSITIVE_INFINITY,
  }: RetryOptions,
): Promise<Result | undefined> {
  const startedAt = performance.now();
  for (let failures = 1; ; failures += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
    const pauseMs = pauseMsAfter(failures, backOff);
    const closedAt = closing.at ?? Number.POSITIVE_INFINITY;
    const deadline = Math.min(startedAt + giveUpAfterMs, closedAt + giveUpAfterCloseMs);
    if (performance.now() + pauseMs >= deadline) return undefined;
    await pause(pauseMs, closing.signal);
  }
}

/** Ends early when `signal` is aborted meanwhile, not when it was aborted before. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

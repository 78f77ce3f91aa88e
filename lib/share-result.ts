import type { Clock } from './clock.js';

/**
 * Makes a function that calls `load` at most once in `freshMs` milliseconds, and never twice at a time: calls share the
 * result of the last one while it runs, and until it is that old. A rejection is shared in the same way.
 */
export function shareResult<T>(
  load: () => Promise<T>,
  { clock, freshMs }: { clock: Clock; freshMs: number },
): () => Promise<T> {
  let last: { at: number; isRunning: boolean; result: Promise<T> } | undefined;
  return () => {
    const now = clock.now();
    // A clock that was put back makes the result old.
    if (last !== undefined && (last.isRunning || Math.abs(now - last.at) < freshMs)) return last.result;
    const call = { at: now, isRunning: true, result: load() };
    const end = (): void => {
      call.isRunning = false;
    };
    call.result.then(end, end);
    last = call;
    return call.result;
  };
}

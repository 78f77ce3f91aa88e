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

/**
 * Makes a function that runs `load` for a key once at a time. A call while it runs gets the result of the next run, which
 * it shares with all others that wait for it: what a caller gets was loaded after its call.
 */
export function shareNextResult<Key, T>(load: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const runs = new Map<Key, { result: Promise<T>; next?: Promise<T> }>();

  function start(key: Key): Promise<T> {
    const run: { result: Promise<T>; next?: Promise<T> } = { result: load(key) };
    runs.set(key, run);
    const end = (): void => {
      if (run.next === undefined) runs.delete(key);
    };
    run.result.then(end, end);
    return run.result;
  }

  return (key) => {
    const run = runs.get(key);
    if (run === undefined) return start(key);
    const startNext = (): Promise<T> => start(key);
    run.next ??= run.result.then(startNext, startNext);
    return run.next;
  };
}

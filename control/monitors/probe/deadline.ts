/** A signal for one check: aborted when its time is over, and when the signal behind it is. */
export type Deadline = { signal: AbortSignal; end(): void };

/** `end()` it when the check is over: it aborts what is left of it. */
export function startDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  const timer = setTimeout(abort, timeoutMs);
  outer.addEventListener('abort', abort);
  if (outer.aborted) abort();
  return {
    signal: ending.signal,
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
      abort();
    },
  };
}

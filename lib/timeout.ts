/** A signal that is aborted when the time is over, and when the signal of the caller is. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Clears the timer, and aborts whatever of the work is left. */
  end(): void;
};

/**
 * Starts a deadline of `timeoutMs` milliseconds. Call `end()` when the work is over.
 *
 * @param outer aborts the deadline with its own reason.
 * @param makeError makes the reason of the signal when the time is over.
 */
export function startDeadline(
  timeoutMs: number,
  outer?: AbortSignal,
  makeError: () => Error = tooLate(timeoutMs),
): Deadline {
  const ending = new AbortController();
  const stop = (): void => ending.abort(outer?.reason);
  const timer = setTimeout(() => ending.abort(makeError()), timeoutMs);
  outer?.addEventListener('abort', stop, { once: true });
  if (outer?.aborted) stop();
  return {
    signal: ending.signal,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', stop);
      ending.abort();
    },
  };
}

/**
 * Returns the result of `work`, or rejects after `timeoutMs` milliseconds. `work` is a promise, or a function that
 * takes a signal; the signal is aborted when the time is over. Work that ignores the signal goes on, and its result is
 * dropped. A function is not called when `options.signal` is aborted already.
 *
 * @param options.error makes the error of a timeout.
 * @param options.signal rejects earlier, with its own reason.
 */
export function withTimeout<T>(
  work: PromiseLike<T> | ((signal: AbortSignal) => PromiseLike<T>),
  timeoutMs: number,
  { error, signal }: { error?: () => Error; signal?: AbortSignal } = {},
): Promise<T> {
  return typeof work !== 'function' && signal === undefined
    ? inTime(work, timeoutMs, error)
    : beforeDeadline(work, startDeadline(timeoutMs, signal, error));
}

async function beforeDeadline<T>(
  work: PromiseLike<T> | ((signal: AbortSignal) => PromiseLike<T>),
  deadline: Deadline,
): Promise<T> {
  try {
    return await new Promise<T>((resolve, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
      if (deadline.signal.aborted) reject(deadline.signal.reason);
      if (typeof work !== 'function') work.then(resolve, reject);
      else if (!deadline.signal.aborted) work(deadline.signal).then(resolve, reject);
    });
  } finally {
    deadline.end();
  }
}

/** Does without a signal: making and aborting one took a sixth of the time of a request that is answered with 404. */
function inTime<T>(work: PromiseLike<T>, timeoutMs: number, makeError = tooLate(timeoutMs)): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(makeError()), timeoutMs);
    const settle =
      <V>(end: (value: V) => void) =>
      (value: V): void => {
        clearTimeout(timer);
        end(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}

const tooLate = (timeoutMs: number) => () => new Error(`No answer within ${timeoutMs} ms.`);

/** Waits for `work` to end, for `waitMs` milliseconds at most. Returns whether `work` ended; does not reject. */
export async function endsWithin(work: PromiseLike<unknown>, waitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, waitMs, false);
  });
  const ended = Promise.resolve(work).then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

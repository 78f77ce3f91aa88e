import type { Log } from './log.js';

/** A background loop that looks for work in the database. */
export type PollLoop = {
  /**
   * Starts a run at once instead of after the pause. A wake during a run causes one more run after it, so that no wake
   * is lost; several wakes during one run cause one.
   */
  wake(): void;
  /** Starts no further run, and resolves when the current one has ended. */
  stop(): Promise<void>;
};

/** Pause after a run that found nothing. */
const pollMsUsual = 1_000;
const pollMsAfterFailure = 5_000;

/**
 * Calls `run` until the loop is stopped: at once when the last run found work or the loop was woken, else after a pause
 * of `pollMs`. `run` does a bounded piece of the work that is due and returns whether there was any; `signal` is
 * aborted when the loop stops. A run that fails is logged and repeated after 5 s, or at the next wake: the work that it
 * left is in the database, and still due.
 */
export function startPollLoop(
  name: string,
  run: (signal: AbortSignal) => Promise<boolean>,
  { log, pollMs = pollMsUsual }: { log: Log; pollMs?: number },
): PollLoop {
  const stopping = new AbortController();
  let isWoken = false;
  let endPause: () => void = () => {};

  function pause(ms: number): Promise<void> {
    if (isWoken || stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      try {
        const found = await run(stopping.signal);
        if (!found) await pause(pollMs);
      } catch (err) {
        log.error({ loop: name, err }, 'A background loop failed; it is repeated in a moment.');
        await pause(pollMsAfterFailure);
      }
    }
  }

  const ended = repeat();
  return {
    wake() {
      isWoken = true;
      endPause();
    },
    async stop() {
      stopping.abort();
      endPause();
      await ended;
    },
  };
}

/** Several loops as one: a wake wakes all, and a stop resolves when all have stopped. */
export function joinPollLoops(loops: readonly PollLoop[]): PollLoop {
  return {
    wake() {
      for (const loop of loops) loop.wake();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

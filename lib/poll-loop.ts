import type { Log } from './log.js';

export type Worker = {
  /** Starts no further run, and resolves when the one under way has ended. */
  stop(): Promise<void>;
};

/** How soon due work is looked for again after none was found. */
const pollMsUsual = 1_000;
const pollAfterFailureMs = 5_000;

/**
 * Calls `run` again and again until it is stopped: at once when the last run did something, else after a pause.
 * `run` does a bounded piece of the work that is due and answers whether there was any; `signal` is aborted when
 * the worker stops. A run that fails is logged and repeated after a longer pause: what it left undone is in the
 * database, and still due.
 */
export function startWorker(
  name: string,
  run: (signal: AbortSignal) => Promise<boolean>,
  { log, pollMs = pollMsUsual }: { log: Log; pollMs?: number },
): Worker {
  const stopping = new AbortController();
  let wake: () => void = () => {};

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const found = await run(stopping.signal);
        if (!found && !stopping.signal.aborted) await pause(pollMs);
      } catch (err) {
        log.error({ worker: name, err }, 'A worker failed; it goes on in a moment.');
        if (!stopping.signal.aborted) await pause(pollAfterFailureMs);
      }
    }
  }

  const ended = loop();
  return {
    async stop() {
      stopping.abort();
      wake();
      await ended;
    },
  };
}

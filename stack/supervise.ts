import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from './child.js';

/** Waits before the second and later attempts of a row; the first follows a crash at once. */
const delaysMs = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** A store that ran this long has recovered: its next crash begins a new row. */
const steadyMs = 60_000;

export type StackLog = {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

/** A store that is started again whenever its process ends by itself. */
export type Supervised = {
  /** The present process; another one after a restart. */
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
};

/**
 * Launches a store and keeps it running until `stop()`: it is restarted without end, with pauses of at most 30 s
 * between attempts that fail. Only the first launch rejects, later ones are logged.
 *
 * @throws StackError when the first launch fails.
 */
export async function supervise(
  name: string,
  launch: (port: number, signal: AbortSignal) => Promise<Child>,
  port: number,
  log: StackLog,
): Promise<Supervised> {
  const stopping = new AbortController();
  let child = await launch(port, stopping.signal);
  const keepRunning = async (): Promise<void> => {
    let attempt = 0;
    let startedAt = performance.now();
    while (!stopping.signal.aborted) {
      const how = await child.exited;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > steadyMs) attempt = 0;
      log.error({ store: name, pid: child.pid, how }, `${name} ended by itself and is started again.`);
      const next = await relaunch(
        name,
        () => launch(child.port, stopping.signal),
        attempt,
        stopping.signal,
        log,
      );
      if (next === undefined) return;
      attempt = next.attempt;
      child = next.child;
      startedAt = performance.now();
    }
  };
  const running = keepRunning();
  return {
    get pid() {
      return child.pid;
    },
    get port() {
      return child.port;
    },
    async stop() {
      stopping.abort();
      await child.stop();
      // A relaunch that was under way may have replaced the child meanwhile.
      await running;
      await child.stop();
    },
  };
}

async function relaunch(
  name: string,
  launch: () => Promise<Child>,
  firstAttempt: number,
  stopping: AbortSignal,
  log: StackLog,
): Promise<{ child: Child; attempt: number } | undefined> {
  for (let attempt = firstAttempt; !stopping.aborted; attempt++) {
    await delay(delaysMs[attempt] ?? delaysMs[delaysMs.length - 1], undefined, { signal: stopping }).catch(
      () => {},
    );
    if (stopping.aborted) return undefined;
    try {
      const child = await launch();
      log.info({ store: name, pid: child.pid }, `${name} runs again.`);
      return { child, attempt: attempt + 1 };
    } catch (error) {
      log.error({ store: name, err: error }, `${name} did not start; this is tried again without end.`);
    }
  }
  return undefined;
}

import { setTimeout as delay } from 'node:timers/promises';
import { pauseMsAfter } from '../lib/back-off.js';
import { minuteMs } from '../lib/times.js';
import type { Child } from './child.js';

/** Pauses before the second and later attempts of a row. The first attempt follows a crash at once. */
const backOff = { firstMs: 500, maxMs: 30_000 };
/** A store that ran for this long has recovered, and its next crash begins a new row. */
const steadyMs = minuteMs;
/** A restart makes a store unavailable to all tenants for about a second, so one tenant must not cause many. */
const restartPauseMs = 3 * minuteMs;

export type StackLog = {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

/** A store that is restarted whenever its process ends by itself. */
export type Supervised = {
  /** The current process. It changes with a restart. */
  readonly pid: number;
  readonly port: number;
  /**
   * Kills the process, and starts another one as after a crash. Does nothing within 3 minutes of the last such restart,
   * or while the store stops. Returns whether the process was killed.
   */
  restart(reason: string): boolean;
  stop(): Promise<void>;
};

/**
 * Launches a store and keeps it running until `stop()`. Restarts are repeated without end, with pauses of at most 30 s
 * between failed attempts. Only the first launch rejects; failures of later ones are logged.
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
  let restartedAt = Number.NEGATIVE_INFINITY;
  const keepRunning = async (): Promise<void> => {
    let attempt = 0;
    let startedAt = performance.now();
    while (!stopping.signal.aborted) {
      const how = await child.exited;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > steadyMs) attempt = 0;
      log.error({ store: name, pid: child.pid, how }, `${name} ended by itself and is restarted.`);
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
    restart(reason) {
      if (stopping.signal.aborted || performance.now() - restartedAt < restartPauseMs) return false;
      restartedAt = performance.now();
      log.error({ store: name, pid: child.pid, reason }, `${name} is killed and restarted.`);
      child.kill();
      return true;
    },
    async stop() {
      stopping.abort();
      await child.stop();
      // A relaunch in progress may have replaced the child.
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
    const pauseMs = attempt === 0 ? 0 : pauseMsAfter(attempt, backOff);
    await delay(pauseMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return undefined;
    try {
      const child = await launch();
      log.info({ store: name, pid: child.pid }, `${name} runs again.`);
      return { child, attempt: attempt + 1 };
    } catch (error) {
      log.error({ store: name, err: error }, `${name} did not start; the attempt is repeated until it does.`);
    }
  }
  return undefined;
}

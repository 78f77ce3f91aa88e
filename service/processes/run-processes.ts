import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseMsAfter } from '../../lib/back-off.js';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { Log } from '../../lib/log.js';
import { endsWithin } from '../../lib/timeout.js';
import { minuteMs } from '../../lib/times.js';
import type { RestartClickHouse } from '../options.js';
import type { Service } from '../service.js';
import { createMetricsCollection, createProcessSettling } from './ask-processes.js';
import { type FromProcess, type ProcessStart, tellProcess } from './messages.js';

type Options = {
  count: number;
  start: ProcessStart;
  restartClickHouse?: RestartClickHouse | undefined;
  log: Log;
};

/** The processes together; `announce` tells them that the start is over. */
type ServiceProcesses = Pick<Service, 'url' | 'close'> & { announce(): void };

/** Pauses before another process replaces one that exited; they grow while processes exit soon after their start. */
const restart = { firstMs: 500, maxMs: 30_000 };
/** A process that ran for longer than this did not fail at its start. */
const calmMs = minuteMs;
/** Longer than a process takes to answer what it has accepted. */
const stopMsMax = 40_000;

/**
 * Runs the service in `count` processes that share the port. They work as instances on any machine do, by what they
 * agree on in PostgreSQL; this process only starts them, replaces those that exit, and adds up their metrics.
 *
 * @throws Error with the sentence of the first process that cannot start.
 */
export async function runProcesses({
  count,
  start,
  restartClickHouse,
  log,
}: Options): Promise<ServiceProcesses> {
  const listening = deferred<string>();
  const exits = new Map<Worker, Deferred<void>>();
  const collection = createMetricsCollection(() => [...exits.keys()]);
  const settling = createProcessSettling(() => [...exits.keys()]);
  let stopping = false;
  let isAnnounced = false;

  /** `failures` counts the processes in a row, each the replacement of the last, that exited soon after their start. */
  function fork(failures: number): void {
    const worker = cluster.fork();
    const startedAt = performance.now();
    const exited = deferred<void>();
    exits.set(worker, exited);
    worker.on('message', (message: FromProcess) => onMessage(worker, message));
    worker.on('error', (err) => log.error({ err, pid: worker.process.pid }, 'A service process failed.'));
    worker.on('exit', (code, signal) => {
      exits.delete(worker);
      collection.forget(worker);
      settling.forget(worker);
      exited.resolve();
      if (stopping) return;
      listening.reject(new Error('A service process ended before it listened; see the log for the reason.'));
      const isCalm = performance.now() - startedAt > calmMs;
      const failuresNow = isCalm ? 1 : failures + 1;
      const nextMs = pauseMsAfter(failuresNow, restart);
      const { pid } = worker.process;
      log.error({ pid, code, signal, nextMs }, 'A service process ended; another one replaces it.');
      void sleep(nextMs, undefined, { ref: false }).then(() => stopping || fork(failuresNow));
    });
  }

  function onMessage(worker: Worker, message: FromProcess): void {
    if (message.type === 'ready') {
      if (isAnnounced) tellProcess(worker, { type: 'announced' });
      tellProcess(worker, { type: 'start', start });
    } else if (message.type === 'listening') listening.resolve(message.url);
    else if (message.type === 'failed') listening.reject(new Error(message.message));
    else if (message.type === 'collected') collection.answered(worker, message.id, message.metrics);
    else if (message.type === 'settled') settling.answered(worker, message.id, message.settled);
    else if (message.type === 'askSettle') {
      const { id, pageId } = message;
      void settling
        .settle(worker, pageId)
        .then((settled) => tellProcess(worker, { type: 'othersSettled', id, settled }));
    } else if (message.type === 'restartClickHouse') {
      const { id, reason } = message;
      void restartClickHouse?.(reason).then((restarts) =>
        tellProcess(worker, { type: 'clickhouseRestart', id, restarts }),
      );
    } else {
      const { id } = message;
      void collection.collect().then((text) => tellProcess(worker, { type: 'metrics', id, text }));
    }
  }

  function announce(): void {
    isAnnounced = true;
    for (const worker of exits.keys()) tellProcess(worker, { type: 'announced' });
  }

  async function close(): Promise<void> {
    stopping = true;
    for (const worker of exits.keys()) tellProcess(worker, { type: 'stop' });
    const ended = Promise.all([...exits.values()].map(({ promise }) => promise));
    await endsWithin(ended, stopMsMax);
    for (const worker of exits.keys()) worker.process.kill('SIGKILL');
    await ended;
  }

  for (let i = 0; i < count; i += 1) fork(0);
  try {
    return { url: await listening.promise, close, announce };
  } catch (error) {
    await close();
    throw error;
  }
}

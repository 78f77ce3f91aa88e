import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deferred, deferred } from '../lib/deferred.js';
import type { Log } from '../lib/log.js';
import type { FromWorker, WorkerStart } from './cluster-messages.js';
import { createMetricsCollection } from './collect-metrics.js';
import type { Service } from './service.js';
import { tellWorker } from './tell-process.js';

type Options = { count: number; start: WorkerStart; log: Log };

/** A process that ends is followed by another one; one that ends again and again, after growing pauses. */
const restartMs = { first: 500, max: 30_000, calmAfter: 60_000 };
/** Longer than a worker takes to answer what it has accepted. */
const stopMsMax = 40_000;

/**
 * Runs the service in `count` processes that share the port. They work as instances anywhere do, by what they
 * agree on in PostgreSQL; this process only starts them, starts them again, and adds their metrics up.
 *
 * @throws Error with the sentence of the first process that cannot start.
 */
export async function runWorkers({ count, start, log }: Options): Promise<Omit<Service, 'metrics'>> {
  const listening = deferred<string>();
  const exits = new Map<Worker, Deferred<void>>();
  const collection = createMetricsCollection(() => [...exits.keys()]);
  let stopping = false;

  function fork(pauseMs: number): void {
    const worker = cluster.fork();
    const startedAt = performance.now();
    const exited = deferred<void>();
    exits.set(worker, exited);
    worker.on('message', (message: FromWorker) => onMessage(worker, message));
    worker.on('error', (err) => log.error({ err, pid: worker.process.pid }, 'A worker process failed.'));
    worker.on('exit', (code, signal) => {
      exits.delete(worker);
      collection.forget(worker);
      exited.resolve();
      if (stopping) return;
      listening.reject(new Error('A worker process ended before it listened; the log says why.'));
      const calm = performance.now() - startedAt > restartMs.calmAfter;
      const nextMs = calm ? restartMs.first : Math.min(2 * pauseMs, restartMs.max);
      log.error(
        { pid: worker.process.pid, code, signal, nextMs },
        'A worker process ended; another one follows.',
      );
      void sleep(nextMs, undefined, { ref: false }).then(() => stopping || fork(nextMs));
    });
  }

  function onMessage(worker: Worker, message: FromWorker): void {
    if (message.type === 'ready') tellWorker(worker, { type: 'start', start });
    else if (message.type === 'listening') listening.resolve(message.url);
    else if (message.type === 'failed') listening.reject(new Error(message.message));
    else if (message.type === 'collected') collection.collected(worker, message.id, message.metrics);
    else
      void collection.collect().then((text) => tellWorker(worker, { type: 'metrics', id: message.id, text }));
  }

  async function close(): Promise<void> {
    stopping = true;
    for (const worker of exits.keys()) tellWorker(worker, { type: 'stop' });
    const ended = Promise.all([...exits.values()].map(({ promise }) => promise));
    await Promise.race([ended, sleep(stopMsMax, undefined, { ref: false })]);
    for (const worker of exits.keys()) worker.process.kill('SIGKILL');
    await ended;
  }

  for (let i = 0; i < count; i += 1) fork(restartMs.first / 2);
  try {
    return { url: await listening.promise, close };
  } catch (error) {
    await close();
    throw error;
  }
}

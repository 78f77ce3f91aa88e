import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { type Deferred, deferred } from '../lib/deferred.js';
import type { CollectedMetrics } from './cluster-messages.js';
import { tellWorker } from './tell-process.js';

type Collection = { missing: Set<Worker>; found: CollectedMetrics[]; done: Deferred<void> };

export type MetricsCollection = {
  /** The metrics of all workers in one text: counts are added up. One that does not answer in time is left out. */
  collect(): Promise<string>;
  collected(worker: Worker, id: number, metrics: CollectedMetrics): void;
  /** Of a worker that has ended nothing is waited for. */
  forget(worker: Worker): void;
};

const waitMs = 2_000;

/** Asks every worker for its metrics when one of them is asked for all. */
export function createMetricsCollection(workers: () => Worker[]): MetricsCollection {
  const open = new Map<number, Collection>();
  let lastId = 0;

  function remove(collection: Collection, worker: Worker): void {
    collection.missing.delete(worker);
    if (collection.missing.size === 0) collection.done.resolve();
  }

  return {
    async collect() {
      const asked = workers();
      const id = ++lastId;
      const collection: Collection = { missing: new Set(asked), found: [], done: deferred<void>() };
      open.set(id, collection);
      for (const worker of asked) tellWorker(worker, { type: 'collect', id });
      await Promise.race([collection.done.promise, sleep(waitMs, undefined, { ref: false })]);
      open.delete(id);
      return AggregatorRegistry.aggregate(collection.found).metrics();
    },
    collected(worker, id, metrics) {
      const collection = open.get(id);
      if (collection === undefined) return;
      collection.found.push(metrics);
      remove(collection, worker);
    },
    forget(worker) {
      for (const collection of open.values()) remove(collection, worker);
    },
  };
}

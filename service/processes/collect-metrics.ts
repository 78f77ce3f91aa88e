import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { type Deferred, deferred } from '../../lib/deferred.js';
import { endsWithin } from '../../lib/timeout.js';
import { type CollectedMetrics, tellProcess } from './messages.js';

type Collection = { missing: Set<Worker>; found: CollectedMetrics[]; done: Deferred<void> };

export type MetricsCollection = {
  /** The metrics of all processes in one text, with counts added up. Leaves out a process that does not answer in time. */
  collect(): Promise<string>;
  collected(worker: Worker, id: number, metrics: CollectedMetrics): void;
  /** Stops waiting for a process that has exited. */
  forget(worker: Worker): void;
};

/** A process takes up to 2 s for its backlogs while PostgreSQL is silent. Prometheus waits for 10 s. */
const waitMs = 4_000;

/** Asks every process for its metrics. */
export function createMetricsCollection(processes: () => Worker[]): MetricsCollection {
  const open = new Map<number, Collection>();
  let lastId = 0;

  function remove(collection: Collection, worker: Worker): void {
    collection.missing.delete(worker);
    if (collection.missing.size === 0) collection.done.resolve();
  }

  return {
    async collect() {
      const asked = processes();
      const id = ++lastId;
      const collection: Collection = { missing: new Set(asked), found: [], done: deferred<void>() };
      open.set(id, collection);
      for (const worker of asked) tellProcess(worker, { type: 'collect', id });
      await endsWithin(collection.done.promise, waitMs);
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

import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { createProcessAsks, type ProcessAsks } from './ask-processes.js';
import type { CollectedMetrics } from './messages.js';

export type MetricsCollection = Pick<ProcessAsks<CollectedMetrics>, 'answered' | 'forget'> & {
  /** The metrics of all processes in one text, with counts added up. Leaves out a process that does not answer in time. */
  collect(): Promise<string>;
};

/** A process takes up to 2 s for its backlogs while PostgreSQL is silent. Prometheus waits for 10 s. */
const waitMs = 4_000;

/** Asks every process for its metrics. */
export function createMetricsCollection(processes: () => Worker[]): MetricsCollection {
  const asks = createProcessAsks<CollectedMetrics>(waitMs);
  return {
    ...asks,
    async collect() {
      const found = await asks.ask(processes(), (id) => ({ type: 'collect', id }));
      return AggregatorRegistry.aggregate(found).metrics();
    },
  };
}

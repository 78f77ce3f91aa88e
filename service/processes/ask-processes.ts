import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import { endsWithin } from '../../lib/timeout.js';
import type { OthersSettled } from '../settle-everywhere.js';
import { type CollectedMetrics, type Settled, type ToProcess, tellProcess } from './messages.js';

type Ask<Answer> = { missing: Set<Worker>; found: Answer[]; done: Deferred<void> };

/** Asks several processes the same question. */
type ProcessAsks<Answer> = {
  /** Resolves to the answers of the processes that answer in time, in any order. Does not reject. */
  ask(processes: readonly Worker[], makeQuestion: (id: number) => ToProcess): Promise<Answer[]>;
  answered(worker: Worker, id: number, answer: Answer): void;
  /** Stops waiting for a process that has exited. */
  forget(worker: Worker): void;
};

/** @param waitMs how long a process has for its answer. */
function createProcessAsks<Answer>(waitMs: number): ProcessAsks<Answer> {
  const open = new Map<number, Ask<Answer>>();
  let lastId = 0;

  function remove(ask: Ask<Answer>, worker: Worker): void {
    ask.missing.delete(worker);
    if (ask.missing.size === 0) ask.done.resolve();
  }

  return {
    async ask(processes, makeQuestion) {
      if (processes.length === 0) return [];
      const id = ++lastId;
      const ask: Ask<Answer> = { missing: new Set(processes), found: [], done: deferred<void>() };
      open.set(id, ask);
      for (const worker of processes) tellProcess(worker, makeQuestion(id));
      await endsWithin(ask.done.promise, waitMs);
      open.delete(id);
      return ask.found;
    },
    answered(worker, id, answer) {
      const ask = open.get(id);
      if (ask === undefined) return;
      ask.found.push(answer);
      remove(ask, worker);
    },
    forget(worker) {
      for (const ask of open.values()) remove(ask, worker);
    },
  };
}

type MetricsCollection = Pick<ProcessAsks<CollectedMetrics>, 'answered' | 'forget'> & {
  /** The metrics of all processes in one text, with counts added up. Leaves out a process that does not answer in time. */
  collect(): Promise<string>;
};

/** A process takes up to 2 s for its backlogs while PostgreSQL is silent. Prometheus waits for 10 s. */
const metricsWaitMs = 4_000;

/** Asks every process for its metrics. */
export function createMetricsCollection(processes: () => Worker[]): MetricsCollection {
  const asks = createProcessAsks<CollectedMetrics>(metricsWaitMs);
  return {
    ...asks,
    async collect() {
      const found = await asks.ask(processes(), (id) => ({ type: 'collect', id }));
      return AggregatorRegistry.aggregate(found).metrics();
    },
  };
}

type ProcessSettling = Pick<ProcessAsks<Settled>, 'answered' | 'forget'> & {
  /** Brings the events that all processes but `asker` have acknowledged to the store. */
  settle(asker: Worker, pageId: PageId): Promise<OthersSettled>;
};

/** A process waits 2 s for its own log; the rest is for the way. */
const settleWaitMs = 2_250;

/** The log of a process that was killed is taken over within 5 s, and is in the store a moment later. */
const adoptedMs = 10_000;

/** Asks the processes to bring the events that they have acknowledged to the store. */
export function createProcessSettling(processes: () => Worker[]): ProcessSettling {
  const asks = createProcessAsks<Settled>(settleWaitMs);
  let exitedAt = Number.NEGATIVE_INFINITY;
  return {
    answered: asks.answered,
    forget(worker) {
      exitedAt = performance.now();
      asks.forget(worker);
    },
    async settle(asker, pageId) {
      const asked = processes().filter((worker) => worker !== asker);
      const found = await asks.ask(asked, (id) => ({ type: 'settle', id, pageId }));
      const times = found.map(({ oldest }) => oldest).filter((time) => time !== undefined);
      return {
        ...(times.length > 0 && { oldest: Math.min(...times) }),
        isWhole: found.length === asked.length && performance.now() - exitedAt > adoptedMs,
      };
    },
  };
}

import type { Worker } from 'node:cluster';
import { type Deferred, deferred } from '../../lib/deferred.js';
import { endsWithin } from '../../lib/timeout.js';
import { type ToProcess, tellProcess } from './messages.js';

type Ask<Answer> = { missing: Set<Worker>; found: Answer[]; done: Deferred<void> };

/** Asks several processes the same question. */
export type ProcessAsks<Answer> = {
  /** Resolves to the answers of the processes that answer in time, in any order. Does not reject. */
  ask(processes: readonly Worker[], makeQuestion: (id: number) => ToProcess): Promise<Answer[]>;
  answered(worker: Worker, id: number, answer: Answer): void;
  /** Stops waiting for a process that has exited. */
  forget(worker: Worker): void;
};

/** @param waitMs how long a process has for its answer. */
export function createProcessAsks<Answer>(waitMs: number): ProcessAsks<Answer> {
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

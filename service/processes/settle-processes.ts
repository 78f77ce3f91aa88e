import type { Worker } from 'node:cluster';
import type { PageId } from '../../lib/ids.js';
import type { OthersSettled } from '../settle-everywhere.js';
import { createProcessAsks, type ProcessAsks } from './ask-processes.js';
import type { Settled } from './messages.js';

export type ProcessSettling = Pick<ProcessAsks<Settled>, 'answered' | 'forget'> & {
  /** Brings what all processes but `asker` have acknowledged to the store. */
  settle(asker: Worker, pageId: PageId): Promise<OthersSettled>;
};

/** A process waits 2 s for its own log; the rest is for the way. */
const waitMs = 2_250;
/** The log of a process that was killed is taken over within 5 s, and is in the store a moment later. */
const adoptedMs = 10_000;

/** Asks the processes for what they have acknowledged and the store does not have yet. */
export function createProcessSettling(processes: () => Worker[]): ProcessSettling {
  const asks = createProcessAsks<Settled>(waitMs);
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

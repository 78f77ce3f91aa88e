import type { BlockStore } from '../../ingest/commit/store-block.js';
import { type Deferred, deferred } from '../../lib/deferred.js';
import { type DecodedRow, decodeBlock } from './decode-block.js';

/** Answers to an insert: the last two return an error, `storeAndFail` after storing the block. */
export type Behaviour = 'store' | 'hang' | 'fail' | 'storeAndFail';

export type ControlledStore = BlockStore & {
  behaviour: Behaviour;
  /** Every attempt, in order. */
  attempts: { bytes: Buffer; token: string; at: number }[];
  /** The stored rows: from the first block of each token. */
  rows(): DecodedRow[];
  /** Answers the inserts that hang as if they were stored. */
  release(): void;
};

/** A store in memory that deduplicates by token like the real one, and treats inserts as the test chooses. */
export function makeControlledStore(): ControlledStore {
  const stored = new Map<string, Buffer>();
  let hanging: { token: string; bytes: Buffer; answer: Deferred<void> }[] = [];
  const store: ControlledStore = {
    behaviour: 'store',
    attempts: [],
    rows: () => [...stored.values()].flatMap(decodeBlock),
    release() {
      for (const { token, bytes, answer } of hanging) {
        stored.set(token, bytes);
        answer.resolve();
      }
      hanging = [];
    },
    async insert(bytes, token) {
      store.attempts.push({ bytes: Buffer.from(bytes), token, at: Date.now() });
      const { behaviour } = store;
      if (behaviour === 'hang') {
        const answer = deferred<void>();
        hanging.push({ token, bytes: Buffer.from(bytes), answer });
        return answer.promise;
      }
      if (behaviour !== 'fail' && !stored.has(token)) stored.set(token, Buffer.from(bytes));
      if (behaviour !== 'store') throw new Error('The connection was closed.');
    },
  };
  return store;
}

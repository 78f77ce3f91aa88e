import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { withTimeout } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import { endWhenIdle, inTransaction } from '../../sql/in-transaction.js';
import { type Sql, type Transaction, withLimits } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { HoldingBuffer } from '../commit/store-block.js';
import { addPart, addPartOnce, releaseHeld, removeHeld } from './held-blocks.js';
import { addWaiting, logRemoved, type StoreName } from './waiting-blocks.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/** Afterwards the block stays held, and is released when its time is over. */
const endMsMax = 3 * secondMs;

/**
 * Keeps the blocks that one event store did not take in PostgreSQL. The buffer of a page's store keeps the newest 2,000
 * and counts the removed ones; the default store's buffer refuses what exceeds its bound.
 */
export function createDeliveryBuffer(deps: Deps, store: StoreName): HoldingBuffer {
  const { sql, clock, log } = deps;
  // An earlier process, or another instance, may have left blocks in it.
  let behind = true;
  let isLogged = false;

  async function isAnyWaiting(): Promise<boolean> {
    const [row] = await sql<{ waiting: boolean }[]>`
      select exists (
        select 1 from delivery_batches where store = ${store} and exhausted_at is null
      ) as waiting`;
    return row?.waiting ?? false;
  }

  /** Rolls back when it takes longer: the block's senders then get a 503 and send again. */
  async function write(work: (tx: Transaction) => Promise<number>, timeoutMs: number): Promise<void> {
    const limits = { queryTimeoutMs: timeoutMs, transactionTimeoutMs: timeoutMs };
    // Sent together, run in turn.
    const bounded = async (tx: Transaction) => (await Promise.all([endWhenIdle(tx), work(tx)]))[1];
    logRemoved(log, store, await inTransaction(sql, bounded, limits));
  }

  function noteBehind(): void {
    behind = true;
    if (isLogged) return;
    isLogged = true;
    log.warn({ store }, 'The event store is behind: new batches wait in the delivery buffer.');
  }

  return {
    get behind() {
      return behind;
    },
    async look(timeoutMs) {
      behind = await withQueryTimeout(isAnyWaiting(), timeoutMs);
      if (!behind) isLogged = false;
      return behind;
    },
    async put(block, timeoutMs) {
      const at = new Date(clock.now());
      await write((tx) => addWaiting(tx, store, block, at), timeoutMs);
      noteBehind();
    },
    async keep(decide, timeoutMs) {
      let isKept = false;
      await write(async (tx) => {
        const now = clock.now();
        const block = await decide(tx, now);
        isKept = block !== undefined;
        return block === undefined ? 0 : addWaiting(tx, store, block, new Date(now));
      }, timeoutMs);
      if (isKept) noteBehind();
    },
    async keepPart(decide, { part, timeoutMs }) {
      await write(async (tx) => {
        const now = clock.now();
        const block = await decide(tx, now);
        if (block !== undefined) await addPart(tx, store, { ...block, part, now });
        return 0;
      }, timeoutMs);
    },
    keepOnce: (block, { claims, part, timeoutMs }) =>
      addPartOnce(
        withLimits(sql, { queryTimeoutMs: timeoutMs }),
        store,
        { ...block, part, now: clock.now() },
        claims,
      ),
    remove: (token) => withTimeout(removeHeld(sql, token), endMsMax),
    async release(token) {
      let isWaiting = true;
      try {
        isWaiting = await withTimeout(releaseHeld(deps, token), endMsMax);
      } finally {
        if (isWaiting) noteBehind();
      }
    },
  };
}

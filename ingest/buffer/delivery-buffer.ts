import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { isUnclaimed } from '../../sql/claim.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { EncodedBlock, KeepingBuffer } from '../commit/store-block.js';

/** Names an event store: the installation's own is `default`, the store of a page has the page's id. */
export type StoreName = 'default' | PageId;

type Deps = { sql: Sql; clock: Clock; log: Log };

/** Bytes that may wait for the default store. It never gives up an older block for a newer one. */
const defaultBytesMax = 1024 * 1024 * 1024;

/** Whoever writes a held block brings it to its store within this time; after a crash the delivery does. */
const heldMs = 30_000;

/** Condition for batches that the delivery may take. `now` is in milliseconds since the epoch. */
export function isNotHeld(sql: Sql | Transaction, now: number): Fragment {
  return isUnclaimed(sql, 'held_until', { now, leaseMs: heldMs });
}

/**
 * Keeps the blocks that one event store did not take in PostgreSQL. The buffer of a page's store keeps the newest 2,000
 * and counts the removed ones; the default store's buffer refuses what exceeds its bound.
 */
export function createDeliveryBuffer(deps: Deps, store: StoreName): KeepingBuffer {
  const { sql, clock, log } = deps;
  // An earlier process, or another instance, may have left blocks in it.
  let behind = true;
  let isLogged = false;

  async function isAnyWaiting(): Promise<boolean> {
    const [row] = await sql<{ waiting: boolean }[]>`
      select exists (
        select 1 from delivery_batches
        where store = ${store} and exhausted_at is null and ${isNotHeld(sql, clock.now())}
      ) as waiting`;
    return row?.waiting ?? false;
  }

  /** Returns the number of older batches that had to make room. */
  async function insert(
    tx: Transaction,
    { token, bytes, rows, events }: EncodedBlock,
    { now, heldUntil }: { now: number; heldUntil: Date | null },
  ): Promise<number> {
    const at = new Date(now);
    await tx`
      insert into delivery_queues (store, page_id, next_attempt_at)
      values (${store}, ${store === 'default' ? null : store}, ${at})
      on conflict (store) do nothing`;
    if (store === 'default') await refuseOverBytes(tx, bytes.length);
    await tx`
      insert into delivery_batches (store, token, body, rows, events, created_at, held_until)
      values (${store}, ${token}, ${bytes}, ${rows}, ${events}, ${at}, ${heldUntil})
      on conflict (token) do nothing`;
    return store === 'default' ? 0 : removeOldest(tx, store);
  }

  /** Rolls back when it takes longer: the block's senders then get a 503 and send again. */
  async function write(
    work: (tx: Transaction, now: number) => Promise<number>,
    timeoutMs: number,
  ): Promise<void> {
    const limits = { queryTimeoutMs: timeoutMs, transactionTimeoutMs: timeoutMs };
    const removed = await inTransaction(sql, (tx) => work(tx, clock.now()), limits);
    if (removed > 0) {
      log.warn(
        { pageId: store, removed },
        'The oldest buffered batches were removed to make room for newer ones.',
      );
    }
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
      await write((tx, now) => insert(tx, block, { now, heldUntil: null }), timeoutMs);
      noteBehind();
    },
    async keep(decide, { isHeld, timeoutMs }) {
      let isKept = false;
      await write(async (tx, now) => {
        const block = await decide(tx, now);
        if (block === undefined) return 0;
        isKept = true;
        return insert(tx, block, { now, heldUntil: isHeld ? new Date(now + heldMs) : null });
      }, timeoutMs);
      if (isKept && !isHeld) noteBehind();
    },
    async remove(token) {
      await sql`delete from delivery_batches where store = ${store} and token = ${token}`;
    },
    async release(token) {
      noteBehind();
      await sql`update delivery_batches set held_until = null where store = ${store} and token = ${token}`;
    },
  };
}

async function refuseOverBytes(tx: Transaction, more: number): Promise<void> {
  const [row] = await tx<{ bytes: string }[]>`
    select coalesce(sum(octet_length(body)), 0) as bytes from delivery_batches where store = 'default'`;
  if (Number(row?.bytes ?? 0) + more > defaultBytesMax) {
    throw new Error(`The delivery buffer is full: it holds ${row?.bytes} bytes.`);
  }
}

/** Returns the number of removed batches. */
async function removeOldest(tx: Transaction, store: PageId): Promise<number> {
  const removed = await tx<{ events: number }[]>`
    delete from delivery_batches where id in (
      select id from delivery_batches where store = ${store} order by id desc offset ${limits.bufferedBatchesPerPage}
    ) returning events`;
  if (removed.length === 0) return 0;
  const events = removed.reduce((sum, row) => sum + row.events, 0);
  await tx`
    update delivery_queues set
      removed_batches = removed_batches + ${removed.length},
      removed_events = removed_events + ${events}
    where store = ${store}`;
  return removed.length;
}

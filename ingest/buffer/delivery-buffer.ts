import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { BlockBuffer, EncodedBlock } from '../commit/store-block.js';

/** Names an event store: the installation's own is `default`, the store of a page has the page's id. */
export type StoreName = 'default' | PageId;

type Deps = { sql: Sql; clock: Clock; log: Log };

/** Bytes that may wait for the default store. It never gives up an older block for a newer one. */
const defaultBytesMax = 1024 * 1024 * 1024;

/**
 * Keeps the blocks that one event store did not take in PostgreSQL. The buffer of a page's store keeps the newest 2,000
 * and counts the removed ones; the default store's buffer refuses what exceeds its bound.
 */
export function createDeliveryBuffer(deps: Deps, store: StoreName): BlockBuffer {
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
  async function write(block: EncodedBlock, timeoutMs: number): Promise<void> {
    const now = new Date(clock.now());
    const limits = { queryTimeoutMs: timeoutMs, transactionTimeoutMs: timeoutMs };
    const insert = async (tx: Transaction): Promise<number> => {
      await tx`
        insert into delivery_queues (store, page_id, next_attempt_at)
        values (${store}, ${store === 'default' ? null : store}, ${now})
        on conflict (store) do nothing`;
      if (store === 'default') await refuseOverBytes(tx, block.bytes.length);
      await tx`
        insert into delivery_batches (store, token, body, rows, events, created_at)
        values (${store}, ${block.token}, ${block.bytes}, ${block.rows}, ${block.events}, ${now})
        on conflict (token) do nothing`;
      return store === 'default' ? 0 : removeOldest(tx, store);
    };
    const removed = await inTransaction(sql, insert, limits);
    if (removed > 0) {
      log.warn(
        { pageId: store, removed },
        'The oldest buffered batches were removed to make room for newer ones.',
      );
    }
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
      await write(block, timeoutMs);
      behind = true;
      if (isLogged) return;
      isLogged = true;
      log.warn({ store }, 'The event store is behind: new batches wait in the delivery buffer.');
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

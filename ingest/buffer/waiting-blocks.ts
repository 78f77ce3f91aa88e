import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { EncodedBlock } from '../commit/store-block.js';

/** Names an event store: the installation's own is `default`, the store of a page has the page's id. */
export type StoreName = 'default' | PageId;

/** Bytes that may wait for the default store. It never gives up an older block for a newer one. */
const defaultBytesMax = 1024 * 1024 * 1024;

/**
 * Adds a block to those that wait for the store, once for each token. Returns the number of older blocks that had to
 * make room: a page's store keeps the newest 2,000.
 *
 * @throws Error when the default store's blocks would exceed 1 GiB.
 */
export async function addWaiting(
  tx: Transaction,
  store: StoreName,
  { token, bytes, rows, events }: EncodedBlock,
  at: Date,
): Promise<number> {
  await openQueue(tx, store, at);
  if (store === 'default') await refuseOverBytes(tx, bytes.length);
  await tx`
    insert into delivery_batches (store, token, body, rows, events, created_at)
    values (${store}, ${token}, ${bytes}, ${rows}, ${events}, ${at})
    on conflict (token) do nothing`;
  return store === 'default' ? 0 : removeOldest(tx, store);
}

/** Logs how many blocks had to make room, if any. */
export function logRemoved(log: Log, store: StoreName, removed: number): void {
  if (removed === 0) return;
  log.warn(
    { pageId: store, removed },
    'The oldest buffered batches were removed to make room for newer ones.',
  );
}

async function openQueue(tx: Transaction, store: StoreName, at: Date): Promise<void> {
  await tx`
    insert into delivery_queues (store, page_id, next_attempt_at)
    values (${store}, ${store === 'default' ? null : store}, ${at})
    on conflict (store) do nothing`;
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

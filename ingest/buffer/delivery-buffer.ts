import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { BlockBuffer, EncodedBlock } from '../commit/store-block.js';

/** The installation's own event store, or that of a page, by the page's id. */
export type StoreName = 'default' | PageId;

type Deps = { sql: Sql; clock: Clock; log: Log };

/** PostgreSQL may hang, too; then the block is tried elsewhere. */
const answerMsMax = 5_000;
/** What the default store may be behind, in bytes. It never gives an older block up for a newer one. */
const defaultBytesMax = 1024 * 1024 * 1024;

/**
 * The blocks that one event store did not take, in PostgreSQL. Of a page's store the newest 2,000 are kept, and
 * what is removed is counted; the default store's buffer refuses what is over its bound.
 */
export function createDeliveryBuffer(deps: Deps, store: StoreName): BlockBuffer {
  const { sql, clock, log } = deps;
  // An earlier process, or another instance, may have left blocks in it.
  let behind = true;
  let isTold = false;

  async function read(): Promise<boolean> {
    const [row] = await sql<{ waiting: boolean }[]>`
      select exists (
        select 1 from delivery_batches where store = ${store} and exhausted_at is null
      ) as waiting`;
    return row?.waiting ?? false;
  }

  async function write(block: EncodedBlock): Promise<void> {
    const now = new Date(clock.now());
    const removed = await inTransaction(sql, async (tx) => {
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
    });
    if (removed > 0)
      log.warn({ pageId: store, removed }, 'The oldest buffered batches made room for newer ones.');
  }

  return {
    get behind() {
      return behind;
    },
    async look() {
      behind = await withQueryTimeout(read(), answerMsMax);
      if (!behind) isTold = false;
      return behind;
    },
    async put(block) {
      await withQueryTimeout(write(block), answerMsMax);
      behind = true;
      if (isTold) return;
      isTold = true;
      log.warn({ store }, 'The event store is behind; what arrives waits in the delivery buffer.');
    },
  };
}

async function refuseOverBytes(tx: Transaction, more: number): Promise<void> {
  const [row] = await tx<{ bytes: string }[]>`
    select coalesce(sum(octet_length(body)), 0) as bytes from delivery_batches where store = 'default'`;
  if (Number(row?.bytes ?? 0) + more > defaultBytesMax) {
    throw new Error(`The delivery buffer holds ${row?.bytes} bytes, which is as much as it may.`);
  }
}

/** Answers how many were removed. */
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

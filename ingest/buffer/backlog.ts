import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { dayMs } from '../../lib/times.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { StoreName } from './waiting-blocks.js';

/** The batches that wait in the delivery buffer for one store. */
export type Backlog = {
  /** Batches that delivery still tries. */
  pending: number;
  /** Batches that wait for a person, after their last attempt. */
  exhausted: number;
  events: number;
  oldestAt: Date | null;
  /** Batches and events removed because newer ones needed the room. */
  removedBatches: number;
  removedEvents: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
};

/** Loads what waits for one store. */
export async function loadBacklog({ sql }: { sql: Sql }, store: StoreName): Promise<Backlog> {
  const [batches] = await sql<Pick<Backlog, 'pending' | 'exhausted' | 'events' | 'oldestAt' | 'lastError'>[]>`
    select
      count(*) filter (where exhausted_at is null)::integer as pending,
      count(exhausted_at)::integer as exhausted,
      coalesce(sum(events), 0)::integer as events,
      min(created_at) as "oldestAt",
      (array_agg(last_error order by id) filter (where last_error is not null))[1] as "lastError"
    from delivery_batches where store = ${store}`;
  const [queue] = await sql<{ removed: bigint; removed_events: bigint; next_attempt_at: Date }[]>`
    select removed_batches as removed, removed_events, next_attempt_at from delivery_queues where store = ${store}`;
  const counts = batches ?? { pending: 0, exhausted: 0, events: 0, oldestAt: null, lastError: null };
  return {
    ...counts,
    removedBatches: Number(queue?.removed ?? 0),
    removedEvents: Number(queue?.removed_events ?? 0),
    nextAttemptAt: counts.pending > 0 ? (queue?.next_attempt_at ?? null) : null,
  };
}

/**
 * Makes exhausted batches due again, and every waiting batch of the store due now. Returns the number of batches that
 * were exhausted. Tokens stay the same: a batch that the store had all the same counts once.
 */
export async function replayBatches(
  tx: Transaction,
  { store, now }: { store: StoreName; now: number },
): Promise<number> {
  const replayed = await tx`
    update delivery_batches set exhausted_at = null, attempts = 0
    where store = ${store} and exhausted_at is not null`;
  await tx`
    update delivery_queues set failures = 0, next_attempt_at = ${new Date(now)} where store = ${store}`;
  return replayed.count;
}

/** Discards every batch that waits for a page's own store. Returns their number. */
export async function discardBatches(tx: Transaction, store: PageId): Promise<number> {
  const discarded = await tx`delete from delivery_batches where store = ${store}`;
  await tx`delete from delivery_queues where store = ${store}`;
  return discarded.count;
}

/**
 * Deletes exhausted batches of pages' own stores that are a week old. Batches of the default store stay until someone
 * replays them: they were acknowledged, and there is no other copy.
 */
export async function pruneBatches({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Promise<void> {
  const before = new Date(clock.now() - limits.exhaustedBatchDays * dayMs);
  const deleted = await sql`
    delete from delivery_batches
    where exhausted_at is not null and created_at < ${before} and store <> 'default'`;
  if (deleted.count > 0) {
    log.warn({ batches: deleted.count }, 'Batches that no attempt could deliver were deleted.');
  }
}

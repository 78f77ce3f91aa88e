import type { PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** What waits in the delivery buffer for one store. */
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

/** The backlog of a page's own store, or of the installation's. */
export async function loadBacklog({ sql }: { sql: Sql }, store: PageId | 'default'): Promise<Backlog> {
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

/** Discards every batch that waits for a page's own store. Returns how many there were. */
export async function discardBatches(tx: Transaction, store: PageId): Promise<number> {
  const discarded = await tx`delete from delivery_batches where store = ${store}`;
  await tx`delete from delivery_queues where store = ${store}`;
  return discarded.count;
}

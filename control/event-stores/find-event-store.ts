import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { EventStore } from './event-store.js';

/** What waits in the delivery buffer for one store. */
export type Backlog = {
  /** Batches that are still tried, and those that wait for a person. */
  pending: number;
  exhausted: number;
  events: number;
  oldestAt: Date | null;
  /** Taken out because newer ones needed the room. */
  removedBatches: number;
  removedEvents: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
};

/** The page's own store; undefined when it uses the installation's. */
export async function findEventStore({ sql }: { sql: Sql }, pageId: PageId): Promise<EventStore | undefined> {
  const [store] = await sql<EventStore[]>`
    select page_id as "pageId", url, database, username, revision, set_at as "setAt"
    from event_stores where page_id = ${pageId}`;
  return store;
}

/** Of a page's own store, or of the installation's. */
export async function readBacklog({ sql }: { sql: Sql }, store: PageId | 'default'): Promise<Backlog> {
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

/** Sealed; only for a page that has a store. */
export async function readStorePassword({ sql }: { sql: Sql }, pageId: PageId): Promise<Uint8Array> {
  const [row] = await sql<
    { password: Uint8Array }[]
  >`select password from event_stores where page_id = ${pageId}`;
  if (row === undefined) throw new Error('The page has no store of its own.');
  return row.password;
}

import type { RejectionReason } from '../../contract/rejections.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Kept beside the reasons of rejections: batches that count, with fields that were not read. */
export const unreadReason = 'unread';

/** Events of one page that were rejected for one reason in one minute. */
export type RejectionCount = {
  pageId: PageId;
  /** Start of the minute, in milliseconds since the epoch. */
  minute: number;
  reason: RejectionReason | typeof unreadReason;
  events: number;
  /** Arrival of the newest of them, in milliseconds since the epoch. */
  at: number;
  service: string | null;
  message: string;
};

/**
 * Adds to the stored counts, and stores the newest messages, in one statement. Rows are written in the order of their
 * keys, so that two instances never deadlock.
 */
export async function storeRejections(sql: Sql, counts: readonly RejectionCount[]): Promise<void> {
  const timesOf = (times: number[]) => times.map((time) => new Date(time).toISOString());
  const column = <Name extends keyof RejectionCount>(name: Name) => counts.map((count) => count[name]);
  await sql`
    with given as (
      select * from unnest(
        ${column('pageId')}::uuid[], ${timesOf(column('minute'))}::timestamptz[], ${column('reason')}::text[],
        ${column('events')}::integer[], ${timesOf(column('at'))}::timestamptz[], ${column('service')}::text[],
        ${column('message')}::text[]
      ) as given (page_id, minute, reason, events, at, service, message)
    ),
    counted as (
      insert into rejected_events as held (page_id, minute, reason, events)
      select page_id, minute, reason, events from given order by page_id, minute, reason
      on conflict (page_id, minute, reason) do update set events = held.events + excluded.events
    )
    insert into rejection_messages as held (page_id, reason, at, service, message)
    select distinct on (page_id, reason) page_id, reason, at, service, message
    from given order by page_id, reason, at desc
    on conflict (page_id, reason) do update
      set at = excluded.at, service = excluded.service, message = excluded.message
    where excluded.at >= held.at`;
}

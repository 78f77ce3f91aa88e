import type { ChannelEvent, ChannelMessageState } from '../../contract/channels.js';
import type { ChannelMessageId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type ChannelRef, loadChannel } from './find-channels.js';

/** A message of a channel with its state. */
export type SentMessage = {
  id: ChannelMessageId;
  event: ChannelEvent;
  title: string;
  text: string;
  state: ChannelMessageState;
  attempts: number;
  createdAt: Date;
  /** null unless it waits. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** HTTP status of the last attempt; null without an answer. */
  status: number | null;
  /** Why the last attempt failed; null when it did not. */
  reason: string | null;
};

/**
 * At most `limit` messages of a channel, newest first, behind the one with the id `after`.
 *
 * @throws ServiceError `notFound` when there is no such channel.
 */
export async function listMessages(
  { sql }: { sql: Sql },
  { limit, after, ...ref }: ChannelRef & { limit: number; after?: string | undefined },
): Promise<SentMessage[]> {
  const { id, pageId } = await loadChannel({ sql }, ref);
  const behind =
    after === undefined
      ? sql``
      : sql`and m.seq < (select seq from channel_messages where channel_id = ${id} and id = ${after})`;
  return sql<SentMessage[]>`
    select m.id, m.event, m.message ->> 'title' as title, m.message ->> 'text' as text, m.state, m.attempts,
      m.created_at as "createdAt", case when m.state = 'pending' then m.next_attempt_at end as "nextAttemptAt",
      m.finished_at as "finishedAt", m.status, m.reason
    from channel_messages m where m.page_id = ${pageId} and m.channel_id = ${id} ${behind}
    order by m.seq desc limit ${limit}`;
}

/** Deletes the messages that ended before `before`. Returns how many. */
export async function pruneMessages(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from channel_messages where id in (
        select id from channel_messages where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
        and finished_at < ${before}`;
    return count;
  });
}

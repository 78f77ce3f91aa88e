import { type ChannelEvent, type ChannelMessageState, channelTestEvent } from '../../contract/channels.js';
import type { Clock } from '../../lib/clock.js';
import { type ChannelMessageId, newId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { type ChannelRef, loadChannel, lockChannel, recordChannel } from './channel.js';
import type { StoredMessage } from './formats/message.js';
import { testMessage } from './test-message.js';

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

/**
 * Queues a message that shows whether a channel works; quiet hours do not hold it. The running service sends it.
 *
 * @throws ServiceError `notFound` when there is no such channel, `conflict` when it is turned off.
 */
export async function testChannel(
  { sql, clock, by, secretKey }: { sql: Sql; clock: Clock; by: Actor; secretKey: string },
  ref: ChannelRef,
): Promise<{ messageId: ChannelMessageId }> {
  return inTransaction(sql, async (tx) => {
    const { channel } = await lockChannel(tx, ref, secretKey);
    if (channel.disabledAt !== null) {
      throw new ServiceError('conflict', { message: 'The channel is turned off; turn it on first.' });
    }
    const now = clock.now();
    const id = newId<ChannelMessageId>(now);
    const { page: _page, links: _links, ...content } = testMessage({ page: '', url: '', key: id, at: now });
    const message: StoredMessage = { ...content, screen: 'channels' };
    await tx`
      insert into channel_messages (id, page_id, channel_id, event, message, next_attempt_at, created_at)
      values (${id}, ${channel.pageId}, ${channel.id}, ${channelTestEvent}, ${tx.json(message)}, ${new Date(now)},
        ${new Date(now)})`;
    await recordChannel(
      tx,
      { by, now },
      { verb: 'test', before: channel, after: channel, marks: { messageId: id } },
    );
    return { messageId: id };
  });
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

import type { ReaderKind } from '../../../contract/channels.js';
import type { Clock } from '../../../lib/clock.js';
import { type PageId, parseId, type SubscriberId } from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type Actor, recordChange } from '../../audit/index.js';
import { noSuchSubscriber } from '../find-subscriber.js';

/** A subscriber that gets messages in its chat. Nobody else sees its URL. */
export type ChatSubscriber = {
  id: SubscriberId;
  kind: ReaderKind;
  /** The host of its incoming webhook. */
  host: string;
  language: string;
  createdAt: Date;
  confirmedAt: Date | null;
  /** Since when its webhook is gone. */
  goneAt: Date | null;
};

/** At most `limit` chats of a page, newest first, behind the one with the id `after`. */
export async function listChatSubscribers(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after?: string | undefined },
): Promise<ChatSubscriber[]> {
  return sql<ChatSubscriber[]>`
    select s.id, c.kind, c.host, s.language, s.created_at as "createdAt", s.confirmed_at as "confirmedAt",
      c.disabled_at as "goneAt"
    from subscribers s join channels c on c.subscriber_id = s.id
    where s.page_id = ${pageId} ${after === undefined ? sql`` : sql`and s.id < ${after}`}
    order by s.id desc limit ${limit}`;
}

/** Ends the subscription of a chat. @throws ServiceError `notFound` when the page has no such chat. */
export async function removeChatSubscriber(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, id }: { pageId: PageId; id: string },
): Promise<void> {
  const subscriberId = parseId<SubscriberId>(id);
  if (subscriberId === undefined) throw noSuchSubscriber(id);
  await inTransaction(sql, async (tx) => {
    const [chat] = await tx<Pick<ChatSubscriber, 'kind' | 'host' | 'language'>[]>`
      select c.kind, c.host, s.language from subscribers s join channels c on c.subscriber_id = s.id
      where s.page_id = ${pageId} and s.id = ${subscriberId} for update of s`;
    if (chat === undefined) throw noSuchSubscriber(id);
    await tx`delete from subscribers where page_id = ${pageId} and id = ${subscriberId}`;
    await recordChange(
      tx,
      { by, now: clock.now() },
      {
        ...{ pageId, action: 'subscriber.delete', before: chat, after: null },
        target: { type: 'subscriber', id: subscriberId, name: chat.host },
      },
    );
  });
}

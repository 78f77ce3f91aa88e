import { channelTestEvent } from '../../contract/channels.js';
import type { Clock } from '../../lib/clock.js';
import { type ChannelMessageId, newId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { recordChannel } from './audit-channel.js';
import { type ChannelRef, lockChannel } from './find-channels.js';
import type { StoredMessage } from './formats/message.js';
import { testMessage } from './test-message.js';

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

import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import { recordChannel } from './audit-channel.js';
import { openSettings, sealSettings } from './channel-secrets.js';
import { loadChannel, lockChannel } from './find-channels.js';
import type { ClaimedMessage } from './queue.js';

const by = jobActor('channels');

/**
 * Stores the chat that a group of Telegram has moved to in its channel, unless somebody has chosen another one since the
 * message was claimed. The messages that wait go there.
 *
 * @throws ServiceError `notFound` when the channel was deleted meanwhile.
 */
export async function followChat(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { channelId, pageId, settings: sealed }: ClaimedMessage,
  chat: string,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const ref = { id: channelId, pageId };
    const { channel: before, settings } = await lockChannel(tx, ref, secretKey);
    if (settings === undefined || settings.chat !== openSettings(secretKey, channelId, sealed)?.chat) return;
    await tx`
      update channels set open_settings = ${tx.json({ ...before.settings, chat })},
        settings = ${sealSettings(secretKey, channelId, { ...settings, chat })}
      where id = ${channelId}`;
    const after = await loadChannel({ sql: tx }, ref);
    await recordChannel(tx, { by, now: clock.now() }, { verb: 'update', before, after });
  });
}

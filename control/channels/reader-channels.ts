import { channelConfirmEvent, channelNames, type ReaderKind } from '../../contract/channels.js';
import type { Clock } from '../../lib/clock.js';
import {
  type AnnouncementId,
  type ChannelId,
  type ChannelMessageId,
  newId,
  type PageId,
  type SubscriberId,
} from '../../lib/ids.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { dayMs } from '../../lib/times.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealSettings } from './channel-secrets.js';
import { providerOrigins, type StoredMessage } from './formats/message.js';
import { parseSettings } from './parse-settings.js';
import { deferBehind } from './queue-message.js';

/** The incoming webhook of a reader. */
export type ReaderAddress = { kind: ReaderKind; url: string };

/** @throws ServiceError `invalidBody` for a URL that cannot be used */
export function checkReaderAddress({ kind, url }: ReaderAddress): void {
  parseSettings(kind, { url }, { origins: providerOrigins });
}

/** Finds the subscriber of a page by the address of its chat. */
export async function findReader(
  tx: Transaction,
  pageId: PageId,
  { url }: ReaderAddress,
): Promise<{ subscriberId: SubscriberId; channelId: ChannelId } | undefined> {
  const [row] = await tx<{ subscriberId: SubscriberId; channelId: ChannelId }[]>`
    select subscriber_id as "subscriberId", id as "channelId" from channels
    where page_id = ${pageId} and subscriber_id is not null and address_hash = ${hashOf(url)}`;
  return row;
}

/** Adds the channel of a new subscriber. */
export async function addReaderChannel(
  tx: Transaction,
  { secretKey, now }: { secretKey: string; now: number },
  { pageId, subscriberId, address }: { pageId: PageId; subscriberId: SubscriberId; address: ReaderAddress },
): Promise<ChannelId> {
  const { kind, url } = address;
  const { settings, open, host } = parseSettings(kind, { url }, { origins: providerOrigins });
  const id = newId<ChannelId>(now);
  await tx`
    insert into channels (id, page_id, kind, name, host, open_settings, settings, created_at, subscriber_id, address_hash)
    values (${id}, ${pageId}, ${kind}, ${channelNames[kind]}, ${host}, ${tx.json(open)},
      ${sealSettings(secretKey, id, settings)}, ${new Date(now)}, ${subscriberId}, ${hashOf(url)})`;
  return id;
}

/** One chat is found again by this, however its URL is written. */
const hashOf = (url: string): Buffer => Buffer.from(hashSecret(new URL(url.trim()).href), 'hex');

/** Counts the messages that asked a reader for a confirmation: within 24 hours, and waiting. */
export async function countConfirmMessages(
  tx: Transaction,
  channelId: ChannelId,
  now: number,
): Promise<{ lately: number; pending: number }> {
  const [row] = await tx<{ lately: number; pending: number }[]>`
    select count(*) filter (where created_at > ${new Date(now - dayMs)})::int as lately,
      count(*) filter (where state = 'pending')::int as pending
    from channel_messages where channel_id = ${channelId} and event = ${channelConfirmEvent}`;
  return row ?? { lately: 0, pending: 0 };
}

export type ReaderMessage = {
  pageId: PageId;
  channelId: ChannelId;
  /** null for the message that asks for a confirmation. */
  announcementId: AnnouncementId | null;
  message: StoredMessage;
};

/** Queues messages to readers. A channel gets one message about an announcement. */
export async function queueReaderMessages(
  tx: Transaction,
  messages: readonly ReaderMessage[],
  now: number,
): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ pageId, channelId, announcementId, message }) => ({
    ...{ id: newId<ChannelMessageId>(now), page_id: pageId, channel_id: channelId },
    ...{ announcement_id: announcementId, event: message.event, message: tx.json(message) },
    ...{ created_at: new Date(now), next_attempt_at: new Date(now) },
  }));
  await tx`
    insert into channel_messages ${tx(rows)} on conflict on constraint channel_messages_once do nothing`;
  await deferBehind(
    tx,
    messages.map(({ channelId }) => channelId),
  );
}

/** Ends the messages to a reader whose webhook is gone. It may subscribe again with another one. */
export async function disableReaderChannel(
  { sql, clock }: { sql: Sql; clock: Clock },
  { channelId, pageId }: { channelId: ChannelId; pageId: PageId },
): Promise<void> {
  await sql`
    update channels set disabled_at = ${new Date(clock.now())}
    where id = ${channelId} and page_id = ${pageId} and subscriber_id is not null and disabled_at is null`;
}

import type { ChannelId } from '../../../lib/ids.js';
import type { Transaction } from '../../../sql/open-postgres.js';
import { queueReaderMessages } from '../../channels/index.js';
import type { EmailedAnnouncement } from '../../incidents/index.js';
import { loadEmailAnnouncements } from '../mail/announcements.js';
import { hearsOf, loadAffected } from '../mail/hears-of.js';
import { type ChatPage, composeChatMessage } from './compose-chat.js';

/** Messages of one transaction. */
const chunkSize = 100;

type Reader = { channelId: ChannelId; language: string };

/**
 * Queues the messages of an announcement for the next chats of its page, `chunkSize` at most. Returns whether all are
 * queued. After a crash, the next call continues.
 *
 * @param now milliseconds since the epoch
 */
export async function queueChats(
  tx: Transaction,
  announcement: EmailedAnnouncement,
  now: number,
): Promise<boolean> {
  const { id, page_id: pageId } = announcement;
  const readers = await loadNextReaders(tx, announcement);
  if (readers.length === 0) return true;
  const content = (await loadEmailAnnouncements(tx, [id])).get(id);
  const [page] = await tx<ChatPage[]>`
    select name, languages, default_language as "defaultLanguage" from pages where id = ${pageId}`;
  if (content === undefined || page === undefined) return true;
  const languages = [...new Set(readers.map(({ language }) => language))];
  const messages = new Map(
    languages.map((language) => [language, composeChatMessage(page, content, { id, language, now })]),
  );
  const rows = readers.flatMap(({ channelId, language }) => {
    const message = messages.get(language);
    return message === undefined ? [] : [{ pageId, channelId, announcementId: id, message }];
  });
  await queueReaderMessages(tx, rows, now);
  return readers.length < chunkSize;
}

/** Messages are queued in the order of the channels, so the last channel that has one marks the progress. */
async function loadNextReaders(tx: Transaction, announcement: EmailedAnnouncement): Promise<Reader[]> {
  const { id, page_id: pageId, incident_id: incidentId } = announcement;
  const affected = await loadAffected(tx, announcement);
  const [last] = await tx<{ id: ChannelId }[]>`
    select channel_id as id from channel_messages where announcement_id = ${id} order by channel_id desc limit 1`;
  const hasHeard = tx`exists (
    select 1 from channel_messages m join announcements a on a.id = m.announcement_id
    where m.channel_id = c.id and a.incident_id = ${incidentId})`;
  return tx<Reader[]>`
    select c.id as "channelId", s.language from channels c join subscribers s on s.id = c.subscriber_id
    where c.page_id = ${pageId} and c.disabled_at is null and s.confirmed_at is not null
      ${last === undefined ? tx`` : tx`and c.id > ${last.id}`}
      and ${hearsOf(tx, announcement, affected, hasHeard)}
    order by c.id limit ${chunkSize}`;
}

import { subscriberLimits } from '../../../contract/subscribers.js';
import type { Clock } from '../../../lib/clock.js';
import { newId, type PageId, type SubscriberId } from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import {
  addReaderChannel,
  checkReaderAddress,
  countConfirmMessages,
  findReader,
  queueReaderMessages,
  type ReaderAddress,
} from '../../channels/index.js';
import { findPreferences, type Preferences, type StoredPreferences } from '../preferences.js';
import { composeConfirmMessage } from './compose-chat.js';

type Deps = { sql: Sql; clock: Clock; secretKey: string };

export type ChatSignUp = {
  page: { id: PageId; name: string };
  address: ReaderAddress;
  /** A language that the page publishes. */
  language: string;
  preferences: Preferences;
};

/**
 * Queues a message to a chat that asks for its confirmation. Queues none to a chat that has confirmed, or that the page
 * asked often enough within a day; the caller cannot tell the difference.
 *
 * @throws ServiceError `invalidBody` for a URL that cannot be used, and for a service or group that the page does not show.
 */
export async function requestChatSubscription(
  { sql, clock, secretKey }: Deps,
  { page, address, language, preferences }: ChatSignUp,
): Promise<void> {
  checkReaderAddress(address);
  const now = clock.now();
  await inTransaction(sql, async (tx) => {
    // One sign-up of a page after the other: the second one of a chat finds what the first has made.
    await tx`select 1 from pages where id = ${page.id} for no key update`;
    const wanted = await findPreferences(tx, page.id, preferences);
    const found = await findReader(tx, page.id, address);
    if (found !== undefined && !(await renew(tx, { ...found, wanted, language, now }))) return;
    const subscriberId = found?.subscriberId ?? (await addSubscriber(tx, { page, wanted, language, now }));
    const channelId =
      found?.channelId ??
      (await addReaderChannel(tx, { secretKey, now }, { pageId: page.id, subscriberId, address }));
    const asked = await countConfirmMessages(tx, channelId, now);
    if (asked.pending > 0 || asked.lately >= subscriberLimits.confirmationsPerDay) return;
    const message = composeConfirmMessage(page, { language, key: subscriberId, now });
    await queueReaderMessages(tx, [{ pageId: page.id, channelId, announcementId: null, message }], now);
    // The message leaves within seconds, so the link counts from here.
    await tx`update subscribers set confirmation_sent_at = ${new Date(now)} where id = ${subscriberId}`;
  });
}

type Wanted = { wanted: StoredPreferences; language: string; now: number };

/** Whoever has confirmed changes its choice by the link in its messages. Returns whether it has not confirmed. */
async function renew(
  tx: Transaction,
  { subscriberId, wanted, language, now }: Wanted & { subscriberId: SubscriberId },
): Promise<boolean> {
  const { count } = await tx`
    update subscribers set requested_at = ${new Date(now)}, language = ${language}, reminders = ${wanted.reminders},
      monitor_ids = ${wanted.monitorIds}::uuid[], group_ids = ${wanted.groupIds}::uuid[]
    where id = ${subscriberId} and confirmed_at is null`;
  return count === 1;
}

async function addSubscriber(
  tx: Transaction,
  { page, wanted, language, now }: Wanted & { page: { id: PageId } },
): Promise<SubscriberId> {
  const id = newId<SubscriberId>(now);
  const at = new Date(now);
  await tx`
    insert into subscribers (id, page_id, language, monitor_ids, group_ids, reminders, created_at, requested_at)
    values (${id}, ${page.id}, ${language}, ${wanted.monitorIds}::uuid[], ${wanted.groupIds}::uuid[],
      ${wanted.reminders}, ${at}, ${at})`;
  return id;
}

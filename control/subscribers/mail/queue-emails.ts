import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.js';
import { type EmailId, newId, type SubscriberId } from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import {
  type EmailedAnnouncement,
  lockAnnouncementForEmails,
  markEmailsQueued,
} from '../../incidents/index.js';
import { queueChats } from '../chats/queue-chats.js';
import { hearsOf, loadAffected } from './hears-of.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  /** Whether texts are translated, so that emails wait for their translations. */
  translates: boolean;
};

/**
 * Emails of one transaction, and the pause before the next. The embedded store runs one transaction at a time, so each
 * is short, and the pause lets others run.
 */
const chunkSize = 25;
const chunkPauseMs = 20;

/**
 * Queues the emails of an announcement for the next subscribers of its page that may get email, `chunkSize` at most, and
 * then the messages to the chats of subscribers. Returns whether there was an announcement. After a crash, the next call
 * continues.
 */
export async function queueEmails({ sql, clock, translates }: Deps): Promise<boolean> {
  const found = await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const announcement = await lockAnnouncementForEmails(tx, { now, translates });
    if (announcement === undefined) return false;
    const subscribers = await loadNextSubscribers(tx, announcement);
    if (subscribers.length > 0) await insertEmails(tx, announcement, subscribers, now);
    const areAllQueued = subscribers.length < chunkSize && (await queueChats(tx, announcement, now));
    if (areAllQueued) await markEmailsQueued(tx, announcement.id, now);
    return true;
  });
  if (found) await sleep(chunkPauseMs);
  return found;
}

/** Emails are queued in the order of the subscribers' ids, so the last subscriber that has one marks the progress. */
async function loadNextSubscribers(
  tx: Transaction,
  announcement: EmailedAnnouncement,
): Promise<SubscriberId[]> {
  const { id, page_id: pageId } = announcement;
  const affected = await loadAffected(tx, announcement);
  const hasHeard = tx`exists (
    select 1 from emails e join announcements a on a.id = e.announcement_id
    where e.subscriber_id = s.id and a.incident_id = ${announcement.incident_id})`;
  const [last] = await tx<{ id: SubscriberId }[]>`
    select subscriber_id as id from emails where announcement_id = ${id} order by subscriber_id desc limit 1`;
  const rows = await tx<{ id: SubscriberId }[]>`
    select s.id from subscribers s
    where s.page_id = ${pageId} and s.email is not null and s.confirmed_at is not null
      and ${hearsOf(tx, announcement, affected, hasHeard)}
      ${last === undefined ? tx`` : tx`and s.id > ${last.id}`}
      and not exists (select 1 from suppressions u where u.page_id = s.page_id and u.email = s.email)
    order by s.id limit ${chunkSize}`;
  return rows.map((row) => row.id);
}

async function insertEmails(
  tx: Transaction,
  announcement: EmailedAnnouncement,
  subscribers: readonly SubscriberId[],
  now: number,
): Promise<void> {
  const ids = subscribers.map(() => newId<EmailId>(now));
  await tx`
    insert into emails (id, page_id, subscriber_id, kind, announcement_id, next_attempt_at, created_at)
    select made.id, ${announcement.page_id}, made.subscriber_id, 'announcement', ${announcement.id},
      ${new Date(now)}, ${new Date(now)}
    from unnest(${ids}::uuid[], ${[...subscribers]}::uuid[]) as made (id, subscriber_id)
    on conflict on constraint emails_once do nothing`;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.js';
import {
  type AnnouncementId,
  type EmailId,
  newId,
  type PageId,
  type SubscriberId,
} from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  /** Whether a provider translates texts, so that it is worth waiting for. */
  translates: boolean;
};

/** A transaction on the embedded store holds up all others, so one is short, and leaves the next a while to others. */
const chunkSize = 25;
const chunkPauseMs = 20;
const translationWaitMs = 60_000;

/**
 * Makes emails of an announcement for the next subscribers of its page that may get any, at most `chunkSize`.
 * Answers whether there was an announcement to do. What a crash leaves undone is done by the next call.
 */
export async function queueEmails({ sql, clock, translates }: Deps): Promise<boolean> {
  const found = await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const announcement = await lockNextAnnouncement(tx, { now, translates });
    if (announcement === undefined) return false;
    const subscribers = await readNextSubscribers(tx, announcement);
    if (subscribers.length > 0) await insertEmails(tx, announcement, subscribers, now);
    if (subscribers.length < chunkSize) {
      await tx`update announcements set emails_queued_at = ${new Date(now)} where id = ${announcement.id}`;
    }
    return true;
  });
  if (found) await sleep(chunkPauseMs);
  return found;
}

type Announcement = { id: AnnouncementId; page_id: PageId };

/**
 * The first one whose emails are not all made, but none before another one of its incident. One whose texts are
 * still being translated is passed over for a minute.
 */
async function lockNextAnnouncement(
  tx: Transaction,
  { now, translates }: { now: number; translates: boolean },
): Promise<Announcement | undefined> {
  const beingTranslated = tx`
    exists (
      select 1 from translations t join pages p on p.id = t.page_id
      where t.page_id = a.page_id and t.text is null
        and t.source_language = p.default_language and t.language = any (p.languages)
        and t.source_hash in (
          sha256(convert_to(a.entry -> 'title' ->> p.default_language, 'UTF8')),
          sha256(convert_to(a.entry -> 'summary' ->> p.default_language, 'UTF8')),
          (select sha256(convert_to(u.body, 'UTF8')) from incident_updates u where u.id = a.update_id)))`;
  const [announcement] = await tx<Announcement[]>`
    select a.id, a.page_id from announcements a
    where a.emails_queued_at is null
      and not exists (
        select 1 from announcements earlier
        where earlier.incident_id = a.incident_id and earlier.seq < a.seq and earlier.emails_queued_at is null)
      ${translates ? tx`and (a.created_at <= ${new Date(now - translationWaitMs)} or not ${beingTranslated})` : tx``}
    order by a.seq limit 1
    for update of a skip locked`;
  return announcement;
}

/** Subscribers get theirs in the order of their ids, so the last one that has one tells how far it went. */
async function readNextSubscribers(
  tx: Transaction,
  { id, page_id: pageId }: Announcement,
): Promise<SubscriberId[]> {
  const [last] = await tx<{ id: SubscriberId }[]>`
    select subscriber_id as id from emails where announcement_id = ${id} order by subscriber_id desc limit 1`;
  const rows = await tx<{ id: SubscriberId }[]>`
    select s.id from subscribers s
    where s.page_id = ${pageId} and s.confirmed_at is not null
      ${last === undefined ? tx`` : tx`and s.id > ${last.id}`}
      and not exists (select 1 from suppressions u where u.page_id = s.page_id and u.email = s.email)
    order by s.id limit ${chunkSize}`;
  return rows.map((row) => row.id);
}

async function insertEmails(
  tx: Transaction,
  announcement: Announcement,
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

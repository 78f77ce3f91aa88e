import type { AnnouncementKind } from '../../contract/incidents.js';
import {
  type AlarmId,
  type AnnouncementId,
  type IncidentId,
  newId,
  type PageId,
  type UpdateId,
} from '../../lib/ids.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { pruneAnnouncedUpdates } from './announced-incident.js';

/** How long before its start subscribers may be reminded of maintenance, in hours. */
export type ReminderHours = 24 | 1;

export type NewAnnouncement = {
  pageId: PageId;
  /** The caller's transaction holds the lock of the incident, which orders its announcements. */
  incidentId: IncidentId;
  kind: AnnouncementKind;
  /** The timeline update that was posted. */
  updateId?: UpdateId;
  /** How long before its start it reminds of maintenance; webhooks and feeds have no part in that. */
  reminderHours?: ReminderHours;
  /** The alarm whose messages to the team go out first; they are queued in the same transaction. */
  afterAlarmId?: AlarmId | undefined;
  /** Milliseconds since the epoch. */
  now: number;
};

/** An announcement whose webhook deliveries are not queued yet. */
export type Announcement = {
  id: AnnouncementId;
  page_id: PageId;
  incident_id: IncidentId;
  /** Orders the announcements of an incident. */
  seq: bigint;
  kind: AnnouncementKind;
  created_at: Date;
};

/** An announcement whose emails are not all queued. */
export type EmailedAnnouncement = {
  id: AnnouncementId;
  page_id: PageId;
  incident_id: IncidentId;
  /** Whether it goes to those alone who want reminders. */
  is_reminder: boolean;
};

/** How long emails wait for the translations of an announcement's texts. */
const translationWaitMs = minuteMs;

/**
 * How long deliveries wait for the messages that tell the team first. An attempt takes 10 s at most, and a second one
 * would hold back customers for a provider that is down.
 */
const teamFirstMsMax = 30 * secondMs;

/**
 * Records a change for subscribers and webhooks, in the transaction of the change. The loops that deliver see the row
 * only when the transaction commits. It refers to the timeline up to its last update, and to the texts of the incident,
 * each of which is stored once: what an announcement adds to the database does not depend on their length.
 */
export async function announce(tx: Transaction, announcement: NewAnnouncement): Promise<void> {
  const { pageId, incidentId, kind, updateId, reminderHours, afterAlarmId, now } = announcement;
  const webhooksQueuedAt = reminderHours === undefined ? null : new Date(now);
  const { count } = await tx`
    with head as (
      select i.id, i.title, i.summary, i.started_at, i.resolved_at, i.scheduled_end_at, i.impact,
        array_to_json(array(
          select case when im.state is null then to_json(m.slug) else json_build_array(m.slug, im.state) end
          from incident_monitors im join monitors m on m.id = im.monitor_id
          where im.incident_id = i.id and not m.hidden order by im.place))::text as services,
        (select max(place) from incident_updates where incident_id = i.id) as timeline_until
      from incidents i where i.id = ${incidentId} and i.page_id = ${pageId}
    ), texts as (
      insert into announced_texts (incident_id, hash, text)
      select head.id, ${hashOf(tx, 'shown.text')}, shown.text
      from head, unnest(array[head.title, head.summary, head.services]) as shown (text)
      on conflict do nothing
    )
    insert into announcements (id, page_id, incident_id, kind, update_id, created_at, title_hash, summary_hash,
      services_hash, started_at, resolved_at, scheduled_end_at, impact, timeline_until, reminder_hours,
      webhooks_queued_at, after_alarm_id)
    select ${newId<AnnouncementId>(now)}, ${pageId}, id, ${kind}, ${updateId ?? null}, ${new Date(now)},
      ${hashOf(tx, 'title')}, ${hashOf(tx, 'summary')}, ${hashOf(tx, 'services')},
      started_at, resolved_at, scheduled_end_at, impact, timeline_until, ${reminderHours ?? null}::smallint,
      ${webhooksQueuedAt}::timestamptz, ${afterAlarmId ?? null}::uuid
    from head`;
  if (count === 0) throw new Error('The announced incident does not belong to the page.');
}

function hashOf(tx: Transaction, column: string): Fragment {
  return tx`sha256(convert_to(${tx(column)}, 'UTF8'))`;
}

/**
 * Returns the condition that the team has had the first attempt of each message about the announcement `a`. Messages that quiet
 * hours hold are not waited for.
 */
function teamWasTold(tx: Transaction, now: number): Fragment {
  return tx`(
    a.after_alarm_id is null or a.created_at <= ${new Date(now - teamFirstMsMax)} or not exists (
      select 1 from channel_messages m
      where m.alarm_id = a.after_alarm_id and m.state = 'pending' and m.held_until is null
        and (m.attempts = 0 or m.claimed_until is not null)))`;
}

/** Marks the announcements of an incident as queued, so that no email and no webhook is sent for them. */
export async function silenceAnnouncements(tx: Transaction, incidentId: IncidentId): Promise<void> {
  await tx`
    update announcements set webhooks_queued_at = created_at, emails_queued_at = created_at
    where incident_id = ${incidentId}`;
}

/**
 * Deletes the announcements of an update, with their deliveries and emails. One that also announces the end of the
 * incident stays, without the update.
 */
export async function forgetAnnouncementsOfUpdate(
  tx: Transaction,
  incidentId: IncidentId,
  updateId: UpdateId,
): Promise<void> {
  await tx`
    delete from announcements
    where incident_id = ${incidentId} and update_id = ${updateId} and kind like '%.update_posted'`;
  await tx`
    update announcements set update_id = null where incident_id = ${incidentId} and update_id = ${updateId}`;
}

/**
 * Locks up to `max` announcements whose deliveries are not queued, in their order; skips those locked elsewhere, and
 * those that still wait for the message to the team.
 */
export async function lockAnnouncementsForWebhooks(
  tx: Transaction,
  { max, now }: { max: number; now: number },
): Promise<Announcement[]> {
  return tx<Announcement[]>`
    select a.id, a.page_id, a.incident_id, a.seq, a.kind, a.created_at from announcements a
    where a.webhooks_queued_at is null and ${teamWasTold(tx, now)}
    order by a.seq limit ${max}
    for update of a skip locked`;
}

/** Marks announcements as done for webhooks, in the transaction that queues their deliveries. */
export async function markWebhooksQueued(
  tx: Transaction,
  ids: readonly AnnouncementId[],
  now: number,
): Promise<void> {
  await tx`
    update announcements set webhooks_queued_at = ${new Date(now)} where id = any(${[...ids]}::uuid[])`;
}

/**
 * Locks the first announcement whose emails are not all queued, but none before an earlier one of its incident, nor one
 * that still waits for the message to the team. With `translates`, skips an announcement for a minute while its texts are
 * being translated. Returns `undefined` when there is none.
 */
export async function lockAnnouncementForEmails(
  tx: Transaction,
  { now, translates }: { now: number; translates: boolean },
): Promise<EmailedAnnouncement | undefined> {
  const beingTranslated = tx`
    exists (
      select 1 from translations t join pages p on p.id = t.page_id
      where t.page_id = a.page_id and t.text is null
        and t.source_language = p.default_language and t.language = any (p.languages)
        and t.source_hash in (
          a.title_hash, a.summary_hash,
          (select sha256(convert_to(u.body, 'UTF8')) from incident_updates u where u.id = a.update_id)))`;
  const [announcement] = await tx<EmailedAnnouncement[]>`
    select a.id, a.page_id, a.incident_id, a.reminder_hours is not null as is_reminder from announcements a
    where a.emails_queued_at is null
      and not exists (
        select 1 from announcements earlier
        where earlier.incident_id = a.incident_id and earlier.seq < a.seq and earlier.emails_queued_at is null)
      and ${teamWasTold(tx, now)}
      ${translates ? tx`and (a.created_at <= ${new Date(now - translationWaitMs)} or not ${beingTranslated})` : tx``}
    order by a.seq limit 1
    for update of a skip locked`;
  return announcement;
}

/** Marks an announcement as done for email, in the transaction that queues its last emails. */
export async function markEmailsQueued(tx: Transaction, id: AnnouncementId, now: number): Promise<void> {
  await tx`update announcements set emails_queued_at = ${new Date(now)} where id = ${id}`;
}

/**
 * Deletes the announcements from before `before` that have no deliveries, emails and messages left; prune those first.
 * Deleting an announcement deletes its deliveries and emails. Returns how many were deleted.
 */
export async function pruneAnnouncements(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from announcements where id in (
        select a.id from announcements a
        where a.created_at < ${before} and a.webhooks_queued_at is not null and a.emails_queued_at is not null
          and not exists (select 1 from webhook_deliveries d where d.announcement_id = a.id)
          and not exists (select 1 from emails e where e.announcement_id = a.id)
          and not exists (select 1 from channel_messages c where c.announcement_id = a.id)
        limit ${chunkRows})`;
    return count;
  });
}

/** Deletes the texts that no announcement refers to any more; prune those first. Returns how many were deleted. */
export async function pruneAnnouncedTexts(sql: Sql): Promise<number> {
  const unused = (tx: Transaction) => tx`
    select t.incident_id, t.hash from announced_texts t
    where not exists (
      select 1 from announcements a
      where a.incident_id = t.incident_id and t.hash in (a.title_hash, a.summary_hash, a.services_hash))
      and not exists (
        select 1 from announced_updates k where k.incident_id = t.incident_id and k.body_hash = t.hash)`;
  await pruneAnnouncedUpdates(sql);
  return deleteInChunks((chunkRows) =>
    inTransaction(sql, async (tx) => {
      const found = await tx<{ incident_id: IncidentId }[]>`${unused(tx)} limit ${chunkRows}`;
      const ids = [...new Set(found.map((row) => row.incident_id))];
      // A change of the incident may refer to the text again; the lock keeps it until the text is gone.
      await tx`select 1 from incidents where id = any (${ids}::uuid[]) order by id for update`;
      const { count } = await tx`
        delete from announced_texts where (incident_id, hash) in (
          ${unused(tx)} and t.incident_id = any (${ids}::uuid[]) limit ${chunkRows})`;
      return count;
    }),
  );
}

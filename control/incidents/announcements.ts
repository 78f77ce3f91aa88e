import type { AnnouncementKind, LedgerEntry } from '../../contract/incidents.js';
import { type AnnouncementId, type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { loadLedgerEntry } from './ledger.js';

export type NewAnnouncement = {
  pageId: PageId;
  /** The caller's transaction holds the lock of the incident, which orders its announcements. */
  incidentId: IncidentId;
  kind: AnnouncementKind;
  /** The timeline update that was posted. */
  updateId?: UpdateId;
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
  /** The incident at the time of the change. */
  entry: LedgerEntry;
  created_at: Date;
};

/** How long emails wait for the translations of an announcement's texts. */
const translationWaitMs = minuteMs;

/**
 * Records a change for subscribers and webhooks, in the transaction of the change, with the incident as it is now. The
 * loops that deliver see the row only when the transaction commits.
 */
export async function announce(tx: Transaction, announcement: NewAnnouncement): Promise<void> {
  const { pageId, incidentId, kind, updateId, now } = announcement;
  const entry = await loadLedgerEntry(tx, pageId, incidentId, now);
  if (entry === undefined) throw new Error('The announced incident does not belong to the page.');
  await tx`
    insert into announcements (id, page_id, incident_id, kind, entry, update_id, created_at)
    values (${newId<AnnouncementId>(now)}, ${pageId}, ${incidentId}, ${kind}, ${tx.json(entry)}, ${updateId ?? null},
      ${new Date(now)})`;
}

/** Marks the announcements of an incident as queued, so that no email and no webhook is sent for them. */
export async function silenceAnnouncements(tx: Transaction, incidentId: IncidentId): Promise<void> {
  await tx`
    update announcements set webhooks_queued_at = created_at, emails_queued_at = created_at
    where incident_id = ${incidentId}`;
}

/** Locks up to `max` announcements whose deliveries are not queued, in their order; skips those locked elsewhere. */
export async function lockAnnouncementsForWebhooks(tx: Transaction, max: number): Promise<Announcement[]> {
  return tx<Announcement[]>`
    select id, page_id, incident_id, seq, kind, entry, created_at from announcements
    where webhooks_queued_at is null
    order by seq limit ${max}
    for update skip locked`;
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
 * Locks the first announcement whose emails are not all queued, but none before an earlier one of its incident. With
 * `translates`, skips an announcement for a minute while its texts are being translated. Returns `undefined` when there
 * is none.
 */
export async function lockAnnouncementForEmails(
  tx: Transaction,
  { now, translates }: { now: number; translates: boolean },
): Promise<{ id: AnnouncementId; page_id: PageId } | undefined> {
  const beingTranslated = tx`
    exists (
      select 1 from translations t join pages p on p.id = t.page_id
      where t.page_id = a.page_id and t.text is null
        and t.source_language = p.default_language and t.language = any (p.languages)
        and t.source_hash in (
          sha256(convert_to(a.entry -> 'title' ->> p.default_language, 'UTF8')),
          sha256(convert_to(a.entry -> 'summary' ->> p.default_language, 'UTF8')),
          (select sha256(convert_to(u.body, 'UTF8')) from incident_updates u where u.id = a.update_id)))`;
  const [announcement] = await tx<{ id: AnnouncementId; page_id: PageId }[]>`
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

/** Marks an announcement as done for email, in the transaction that queues its last emails. */
export async function markEmailsQueued(tx: Transaction, id: AnnouncementId, now: number): Promise<void> {
  await tx`update announcements set emails_queued_at = ${new Date(now)} where id = ${id}`;
}

/**
 * Deletes the announcements from before `before` that have neither deliveries nor emails left; prune those first.
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
        limit ${chunkRows})`;
    return count;
  });
}

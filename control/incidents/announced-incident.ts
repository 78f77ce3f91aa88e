import { type AnnouncementKind, incidentLimits, type LedgerEntry } from '../../contract/incidents.js';
import type { DeclaredState } from '../../contract/public/service-states.js';
import type { AnnouncementId, IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { loadTranslations } from '../translations/index.js';
import { type LedgerRow, textsOf, toEntry } from './public-ledger.js';

/** An announcement with the incident as it was then. */
export type AnnouncedEntry = {
  pageId: PageId;
  incidentId: IncidentId;
  kind: AnnouncementKind;
  createdAt: Date;
  /** The timeline update that was posted. */
  updateId: UpdateId | null;
  /** Whether it reminds of maintenance. */
  isReminder: boolean;
  /** The incident as the ledger showed it right after the change. */
  entry: LedgerEntry;
};

/** In the default language of the page alone, and with no update but the one that was posted. */
export type AnnouncedHead = AnnouncedEntry & {
  /** The default language of the page. */
  language: string;
};

type AnnouncedRow = Omit<AnnouncedEntry, 'entry'> & {
  announcementId: AnnouncementId;
  /** The whole entry, in announcements of earlier versions; the texts of `head` are then `null`. */
  stored: LedgerEntry | null;
  head: LedgerRow;
  /** How many languages the page has. */
  languages: number;
};

/**
 * Loads what an announcement shows, with its whole timeline and the translations that exist by now. The entry is of the
 * time of the change: later updates, texts and times of the incident do not show. It is in the default language alone
 * when its texts exceed the limit of the ledger. Returns `undefined` when the announcement is gone.
 */
export async function loadAnnouncedEntry(sql: Sql, id: AnnouncementId): Promise<AnnouncedEntry | undefined> {
  const [row] = await loadRows(sql, [id], sql`u.place <= a.timeline_until`);
  if (row === undefined) return undefined;
  const texts = row.stored === null && fitsInAll(row) ? textsOf(row.head) : [];
  return toAnnouncedEntry(row, await loadTranslations(sql, row.pageId, texts));
}

/**
 * Whether the texts fit in all languages of the page. 200,000 bytes in 50 languages are 10 MB, and an instance may hold
 * the bodies of 32 deliveries at a time.
 */
function fitsInAll({ head, languages }: AnnouncedRow): boolean {
  const bytes = textsOf(head).reduce((all, text) => all + Buffer.byteLength(text), 0);
  return bytes * languages <= incidentLimits.ledgerTextBytesInAll;
}

/** Loads as much of announcements as an email needs. */
export async function loadAnnouncedHeads(
  sql: Sql | Transaction,
  ids: readonly AnnouncementId[],
): Promise<Map<AnnouncementId, AnnouncedHead>> {
  const rows = await loadRows(sql, ids, sql`u.id = a.update_id`);
  return new Map(
    rows.map((row) => [
      row.announcementId,
      { ...toAnnouncedEntry(row, new Map()), language: row.head.default_language },
    ]),
  );
}

/** A service as an announcement keeps it: its slug, and what the incident says of its state. */
type AnnouncedService = string | [slug: string, state: DeclaredState];

type AnnouncedColumns = Omit<LedgerRow, 'services' | 'service_states'> & {
  /** null in announcements of earlier versions. */
  announced: AnnouncedService[] | null;
};

function toServices(announced: readonly AnnouncedService[]): Pick<LedgerRow, 'services' | 'service_states'> {
  const services = announced.map((one) => (typeof one === 'string' ? one : one[0]));
  const said = announced.filter((one) => typeof one !== 'string');
  return { services, service_states: said.length === 0 ? null : Object.fromEntries(said) };
}

/** @param updates which updates `u` of the timeline an announcement `a` is loaded with */
async function loadRows(
  sql: Sql | Transaction,
  ids: readonly AnnouncementId[],
  updates: Fragment,
): Promise<AnnouncedRow[]> {
  const rows = await sql<(Omit<AnnouncedRow, 'head'> & AnnouncedColumns)[]>`
    select a.id as "announcementId", a.page_id as "pageId", a.incident_id as "incidentId", a.kind,
      a.created_at as "createdAt", a.update_id as "updateId", a.reminder_hours is not null as "isReminder",
      a.entry as stored,
      i.id, split_part(a.kind, '.', 1) as type, title.text as title, summary.text as summary,
      services.text::json as announced, a.started_at, a.resolved_at, a.scheduled_end_at, a.impact,
      i.published_at,
      p.default_language, cardinality(p.languages) as languages,
      coalesce((select json_agg(json_build_object(
          'id', u.id, 'status', coalesce(k.status, u.status), 'body', coalesce(k.body, u.body),
          'created_at', u.created_at) order by u.place)
        from incident_updates u left join lateral (${announcedUpdate(sql)}) k on true
        where u.incident_id = a.incident_id and ${updates}), '[]') as updates
    from announcements a
      join incidents i on i.id = a.incident_id
      join pages p on p.id = a.page_id
      left join announced_texts title on title.incident_id = a.incident_id and title.hash = a.title_hash
      left join announced_texts summary on summary.incident_id = a.incident_id and summary.hash = a.summary_hash
      left join announced_texts services on services.incident_id = a.incident_id and services.hash = a.services_hash
    where a.id = any (${[...ids]}::uuid[])`;
  return rows.map((row) => {
    const { announcementId, pageId, incidentId, kind, createdAt, updateId, isReminder, ...others } = row;
    const { stored, languages, ...rest } = others;
    const { announced, ...columns } = rest;
    const head = { ...columns, ...toServices(announced ?? []) };
    const about = { announcementId, pageId, incidentId, kind, createdAt, updateId, isReminder };
    return { ...about, stored, languages, head };
  });
}

function toAnnouncedEntry(
  { announcementId: _, languages: _languages, stored, head, ...announced }: AnnouncedRow,
  translations: Awaited<ReturnType<typeof loadTranslations>>,
): AnnouncedEntry {
  return { ...announced, entry: stored ?? toEntry(head, translations, announced.createdAt.getTime()) };
}

/**
 * Keeps an update as it is for the announcements that show it, before it is corrected. Each text is stored once, and
 * nothing is stored when no announcement shows the update since its last correction. The incident is locked.
 */
export async function keepAnnouncedUpdate(
  tx: Transaction,
  incidentId: IncidentId,
  updateId: UpdateId,
): Promise<void> {
  await tx`
    with shown as (
      select u.id, u.status, u.body, sha256(convert_to(u.body, 'UTF8')) as hash, (
          select max(a.seq) from announcements a
          where a.incident_id = u.incident_id and a.timeline_until >= u.place) as until
      from incident_updates u where u.id = ${updateId} and u.incident_id = ${incidentId}
    ), kept as (
      select * from shown
      where until > coalesce((select max(until_seq) from announced_updates where update_id = ${updateId}), 0)
    ), texts as (
      insert into announced_texts (incident_id, hash, text)
      select ${incidentId}, hash, body from kept
      on conflict do nothing
    )
    insert into announced_updates (update_id, until_seq, incident_id, status, body_hash)
    select id, until, ${incidentId}, status, hash from kept`;
}

/** Selects the update `u` as the announcement `a` shows it: a row of status and body, or none when it was not corrected since. */
function announcedUpdate(sql: Sql | Transaction): Fragment {
  return sql`
    select k.status, t.text as body from announced_updates k
      join announced_texts t on t.incident_id = k.incident_id and t.hash = k.body_hash
    where k.update_id = u.id and k.until_seq >= a.seq
    order by k.until_seq limit 1`;
}

/** Deletes what is kept for announcements that are gone; prune those first. Returns how many were deleted. */
export async function pruneAnnouncedUpdates(sql: Sql): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from announced_updates where (update_id, until_seq) in (
        select k.update_id, k.until_seq from announced_updates k
        where not exists (
          select 1 from announcements a where a.incident_id = k.incident_id and a.seq <= k.until_seq)
        limit ${chunkRows})`;
    return count;
  });
}

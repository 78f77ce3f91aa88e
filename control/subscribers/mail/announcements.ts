import type { AnnouncementKind, LedgerEntry } from '../../../contract/incidents.js';
import type { AnnouncementId, IncidentId, PageId } from '../../../lib/ids.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import { type AnnouncedHead, loadAnnouncedHeads } from '../../incidents/index.js';
import { loadTranslations } from '../../translations/index.js';

/** Texts by language. */
type Texts = Record<string, string>;

/** An announcement as emails show it, with the translations that exist by now. */
export type EmailAnnouncement = {
  incidentId: IncidentId;
  kind: AnnouncementKind;
  /** The incident at the time of the change. */
  entry: LedgerEntry;
  /** The timeline update that was posted, if any. */
  update: LedgerEntry['updates'][number] | undefined;
  /** Names of the affected monitors, by language. */
  services: Texts[];
  /** Whether it reminds of maintenance. */
  isReminder: boolean;
};

/** Loads the announcements with these ids. */
export async function loadEmailAnnouncements(
  sql: Sql | Transaction,
  ids: readonly AnnouncementId[],
): Promise<ReadonlyMap<AnnouncementId, EmailAnnouncement>> {
  const heads = [...(await loadAnnouncedHeads(sql, ids))];
  return new Map(
    await Promise.all(heads.map(async ([id, head]) => [id, await toEmailAnnouncement(sql, head)] as const)),
  );
}

/**
 * Adds the names of services and the translations. Languages that the page no longer publishes count, because a
 * subscriber keeps the language that it has chosen.
 */
async function toEmailAnnouncement(
  sql: Sql | Transaction,
  { pageId, incidentId, kind, updateId, isReminder, entry, language: source }: AnnouncedHead,
): Promise<EmailAnnouncement> {
  const update = entry.updates.find(({ id }) => id === updateId);
  const originals = [entry.title, entry.summary, update?.body].flatMap((texts) => texts?.[source] ?? []);
  const [services, translations] = await Promise.all([
    loadNames(sql, pageId, entry.services),
    loadTranslations(sql, pageId, originals, { unpublished: true }),
  ]);
  const complete = (texts: Texts): Texts => ({ ...texts, ...translations.get(texts[source] ?? '') });
  return {
    incidentId,
    kind,
    isReminder,
    entry: { ...entry, title: complete(entry.title), summary: complete(entry.summary) },
    update: update && { ...update, body: complete(update.body) },
    services,
  };
}

/** The names of monitors of a page, by language, in the order of their names. */
export async function loadNames(
  sql: Sql | Transaction,
  pageId: PageId,
  slugs: readonly string[],
): Promise<Texts[]> {
  if (slugs.length === 0) return [];
  const rows = await sql<{ names: Texts }[]>`
    select m.names || jsonb_build_object(p.default_language, m.name) as names
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = ${pageId} and m.slug = any (${[...slugs]}::text[])
    order by m.name`;
  return rows.map(({ names }) => names);
}

import type { AnnouncementKind, LedgerEntry } from '../../../contract/incidents.js';
import type { AnnouncementId, IncidentId, PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';

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
};

type Row = {
  id: AnnouncementId;
  page_id: PageId;
  incident_id: IncidentId;
  kind: AnnouncementKind;
  entry: LedgerEntry;
  update_id: string | null;
  default_language: string;
  services: Texts[];
};

/** Loads the announcements with these ids. */
export async function loadEmailAnnouncements(
  sql: Sql,
  ids: readonly AnnouncementId[],
): Promise<ReadonlyMap<AnnouncementId, EmailAnnouncement>> {
  const rows = await sql<Row[]>`
    select a.id, a.page_id, a.incident_id, a.kind, a.entry, a.update_id, p.default_language,
      coalesce((
        select json_agg(m.names || jsonb_build_object(p.default_language, m.name) order by m.name)
        from monitors m
        where m.page_id = a.page_id and m.slug in (select jsonb_array_elements_text(a.entry -> 'services'))
      ), '[]') as services
    from announcements a join pages p on p.id = a.page_id
    where a.id = any (${[...ids]}::uuid[])`;
  return new Map(await Promise.all(rows.map(async (row) => [row.id, await translate(sql, row)] as const)));
}

/**
 * Adds the translations, which are requested with the change and so are missing in the announcement. Languages that the
 * page no longer publishes count, because a subscriber keeps the language that it has chosen.
 */
async function translate(sql: Sql, row: Row): Promise<EmailAnnouncement> {
  const { entry, default_language: source } = row;
  const update = entry.updates.find(({ id }) => id === row.update_id);
  const originals = [entry.title, entry.summary, update?.body].flatMap((texts) => texts?.[source] ?? []);
  const translations = await sql<{ source_text: string; language: string; text: string }[]>`
    select source_text, language, text from translations
    where page_id = ${row.page_id} and source_language = ${source} and text is not null
      and source_hash in (select sha256(convert_to(original, 'UTF8'))
        from unnest(${originals}::text[]) as asked (original))`;
  const complete = (texts: Texts): Texts => ({
    ...texts,
    ...Object.fromEntries(
      translations
        .filter(({ source_text: original }) => original === texts[source])
        .map(({ language, text }) => [language, text]),
    ),
  });
  return {
    incidentId: row.incident_id,
    kind: row.kind,
    entry: { ...entry, title: complete(entry.title), summary: complete(entry.summary) },
    update: update && { ...update, body: complete(update.body) },
    services: row.services,
  };
}

import type { Postmortem as ManagedPostmortem } from '../../contract/manage/incidents/postmortems.js';
import type { ShownPostmortem } from '../../contract/public/status-page.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { loadTranslated, type Translated } from '../translations/index.js';

/** Names the postmortem of one incident. */
export type PostmortemRef = { pageId: PageId; incidentId: IncidentId };

/** The lessons of an incident that is over. */
export type Postmortem = {
  /** In the default language of the page; Markdown. */
  body: string;
  publishedAt: Date;
  correctedAt: Date | null;
  /** By language of the page; languages without a translation are absent. */
  texts: Readonly<Record<string, Translated>>;
};

type Row = Omit<Postmortem, 'texts'> & { incidentId: IncidentId; defaultLanguage: string; others: string[] };

/** Finds the postmortem of an incident with its translations, for those who run the page; `undefined` when there is none. */
export async function findPostmortem(
  sql: Sql | Transaction,
  { pageId, incidentId }: PostmortemRef,
): Promise<Postmortem | undefined> {
  const [row] = await sql<Row[]>`
    select m.incident_id as "incidentId", m.body, m.published_at as "publishedAt", m.corrected_at as "correctedAt",
      p.default_language as "defaultLanguage", array_remove(p.languages, p.default_language) as others
    from postmortems m join pages p on p.id = m.page_id
    where m.page_id = ${pageId} and m.incident_id = ${incidentId}`;
  if (row === undefined) return undefined;
  const { body, publishedAt, correctedAt, others } = row;
  const translated = await loadTranslated(sql, pageId, [body], others);
  return { body, publishedAt, correctedAt, texts: translated.get(body) ?? {} };
}

type ShownRow = {
  incidentId: IncidentId;
  body: string;
  publishedAt: Date;
  defaultLanguage: string;
  translation: string | null;
};

/**
 * Loads postmortems as views show them, by incident: for the given incidents that are over, in the default language
 * of the page and in `language`. With every language of a page, fifty of them could take a hundred megabytes.
 */
export async function loadPostmortems(
  { sql }: { sql: Sql },
  { pageId, language, incidentIds }: { pageId: PageId; language: string; incidentIds: readonly string[] },
): Promise<ReadonlyMap<string, ShownPostmortem>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await sql<ShownRow[]>`
    select m.incident_id as "incidentId", m.body, m.published_at as "publishedAt",
      p.default_language as "defaultLanguage", t.text as translation
    from postmortems m join incidents i on i.id = m.incident_id join pages p on p.id = m.page_id
      left join translations t on t.page_id = p.id and t.source_hash = sha256(convert_to(m.body, 'UTF8'))
        and t.source_language = p.default_language and t.language = ${language}
    where m.page_id = ${pageId} and m.incident_id = any(${[...incidentIds]}::uuid[]) and i.resolved_at is not null`;
  return new Map(
    rows.map(({ incidentId, body, publishedAt, defaultLanguage, translation }) => [
      incidentId,
      {
        body: { [defaultLanguage]: body, ...(translation !== null && { [language]: translation }) },
        publishedAt: publishedAt.toISOString(),
      },
    ]),
  );
}

/** Loads the postmortem of one incident as its view shows it. */
export async function loadShownPostmortem(
  deps: { sql: Sql },
  { pageId, incidentId, language }: PostmortemRef & { language: string },
): Promise<ShownPostmortem | undefined> {
  return (await loadPostmortems(deps, { pageId, language, incidentIds: [incidentId] })).get(incidentId);
}

/** Returns a postmortem as the management API answers it. */
export function toManagedPostmortem({
  body,
  publishedAt,
  correctedAt,
  texts,
}: Postmortem): ManagedPostmortem {
  return {
    body,
    publishedAt: publishedAt.toISOString(),
    correctedAt: correctedAt?.toISOString() ?? null,
    texts: Object.fromEntries(
      Object.entries(texts).map(([language, { text, byPerson }]) => [
        language,
        { text, translated: byPerson ? ('person' as const) : ('machine' as const) },
      ]),
    ),
  };
}

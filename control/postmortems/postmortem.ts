import type { ShownPostmortem } from '../../contract/public/status-page.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { loadTranslated, loadTranslations, type Translated } from '../translations/index.js';

/** Names the postmortem of one incident. */
export type PostmortemRef = { pageId: PageId; incidentId: IncidentId };

/** What was learned from an incident that is over. */
export type Postmortem = {
  /** In the default language of the page; Markdown. */
  body: string;
  publishedAt: Date;
  correctedAt: Date | null;
  /** By language of the page; languages without a translation are absent. */
  texts: Readonly<Record<string, Translated>>;
};

type Row = Omit<Postmortem, 'texts'> & { incidentId: IncidentId; defaultLanguage: string; others: string[] };

/** The postmortem of an incident with its translations, for those who run the page; `undefined` when there is none. */
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

/**
 * Loads postmortems as views show them, by incident: of those of the given incidents that are over, with the texts in all
 * languages of the page.
 */
export async function loadPostmortems(
  { sql }: { sql: Sql },
  pageId: PageId,
  incidentIds: readonly string[],
): Promise<ReadonlyMap<string, ShownPostmortem>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await sql<Row[]>`
    select m.incident_id as "incidentId", m.body, m.published_at as "publishedAt", p.default_language as "defaultLanguage"
    from postmortems m join incidents i on i.id = m.incident_id join pages p on p.id = m.page_id
    where m.page_id = ${pageId} and m.incident_id = any(${[...incidentIds]}::uuid[]) and i.resolved_at is not null`;
  const translations = await loadTranslations(
    sql,
    pageId,
    rows.map(({ body }) => body),
  );
  return new Map(
    rows.map(({ incidentId, body, publishedAt, defaultLanguage }) => [
      incidentId,
      {
        body: { [defaultLanguage]: body, ...translations.get(body) },
        publishedAt: publishedAt.toISOString(),
      },
    ]),
  );
}

/** The postmortem of one incident as its view shows it. */
export async function loadShownPostmortem(
  deps: { sql: Sql },
  { pageId, incidentId }: PostmortemRef,
): Promise<ShownPostmortem | undefined> {
  return (await loadPostmortems(deps, pageId, [incidentId])).get(incidentId);
}

import { createHash } from 'node:crypto';
import { incidentLimits } from '../../contract/incidents.js';
import type { PageId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** A text in the default language of the page, and its translations by language. */
export type ProvidedText = { text: string; translations: Readonly<Record<string, string>> };

/**
 * Requests translations of texts, in the transaction that writes the texts, from the default language of the page into
 * each of its other languages. A text that was requested before keeps its translations. The text itself is stored once,
 * for any number of languages. `now` is in milliseconds since the epoch.
 *
 * The lock on the page keeps pruneTranslations() from deleting translations of a text that comes into use again.
 */
export async function requestTranslations(
  tx: Transaction,
  { pageId, texts, now }: { pageId: PageId; texts: readonly string[]; now: number },
): Promise<void> {
  const wanted = [...new Set(texts)].filter((text) => text.trim() !== '');
  if (wanted.length === 0) return;
  const hashes = wanted.map(hashOf);
  await tx`
    with page as (
      select id, default_language, array_remove(languages, default_language) as others
      from pages where id = ${pageId} for key share
    ), source as (
      select decode(hash, 'hex') as hash, text from unnest(${hashes}::text[], ${wanted}::text[]) as given (hash, text)
    ), stored as (
      insert into translation_sources (page_id, hash, text)
      select page.id, source.hash, source.text from page, source where cardinality(page.others) > 0
      order by source.hash
      on conflict do nothing
    )
    insert into translations (page_id, source_hash, source_language, language, next_attempt_at, created_at)
    select page.id, source.hash, page.default_language, other.language, ${new Date(now)}, ${new Date(now)}
    from page, source, unnest(page.others) as other (language)
    order by 2, 4
    on conflict do nothing`;
}

/**
 * Requests the translations that the incidents in the ledger of a page lack, after the languages of the page changed.
 * The caller has locked the page, so that no incident is written meanwhile. `now` is in milliseconds since the epoch.
 */
export async function requestPageTranslations(
  tx: Transaction,
  { pageId, now }: { pageId: PageId; now: number },
): Promise<void> {
  const rows = await tx<{ text: string }[]>`
    with shown as (
      select id, title, summary from incidents where page_id = ${pageId} and resolved_at is null
      union all
      (select id, title, summary from incidents where page_id = ${pageId} and resolved_at is not null
        order by started_at desc, id desc limit ${incidentLimits.ledgerResolved}))
    select title as text from shown
    union select summary from shown
    union select u.body from incident_updates u join shown on shown.id = u.incident_id
    union select m.body from postmortems m join shown on shown.id = m.incident_id`;
  await requestTranslations(tx, { pageId, texts: rows.map(({ text }) => text), now });
}

/**
 * Stores translations by people of a text that was requested in the same transaction. Ignores languages that the page does
 * not publish, because they have no row. `now` is in milliseconds since the epoch.
 */
export async function provideTranslations(
  tx: Transaction,
  { pageId, text: { text, translations }, now }: { pageId: PageId; text: ProvidedText; now: number },
): Promise<void> {
  for (const [language, translation] of Object.entries(translations)) {
    await tx`
      update translations set text = ${translation}, translated_at = ${new Date(now)}, reason = null,
        by_person = true
      where page_id = ${pageId} and source_hash = decode(${hashOf(text)}, 'hex') and language = ${language}`;
  }
}

/**
 * Loads the translations of texts, by text and language: into the languages that the page publishes now, or with
 * `unpublished` into all that there are.
 */
export async function loadTranslations(
  sql: Sql | Transaction,
  pageId: PageId,
  texts: readonly string[],
  { unpublished = false } = {},
): Promise<ReadonlyMap<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  const texted = new Map(texts.map((text) => [hashOf(text), text]));
  if (texted.size === 0) return found;
  const rows = await sql<{ hash: string; language: string; text: string }[]>`
    select encode(t.source_hash, 'hex') as hash, t.language, t.text
    from translations t join pages p on p.id = t.page_id and p.default_language = t.source_language
    where t.page_id = ${pageId} and t.text is not null and (${unpublished} or t.language = any (p.languages))
      and t.source_hash in (select decode(hash, 'hex') from unnest(${[...texted.keys()]}::text[]) as asked (hash))`;
  for (const { hash, language, text } of rows) {
    const source = texted.get(hash) ?? '';
    found.set(source, { ...found.get(source), [language]: text });
  }
  return found;
}

/** Deletes the translations from before `before` whose text the page shows nowhere. Returns how many were deleted. */
export async function pruneTranslations(sql: Sql, before: Date): Promise<number> {
  const pages = await sql<{ id: PageId }[]>`
    select distinct page_id as id from translations where created_at < ${before}`;
  let deleted = 0;
  for (const { id } of pages) {
    deleted += await deleteInChunks((chunkRows) => prunePage(sql, { pageId: id, before, chunkRows }));
  }
  return deleted;
}

/** The lock on the page waits for running changes of its texts, and holds up further ones. */
async function prunePage(
  sql: Sql,
  { pageId, before, chunkRows }: { pageId: PageId; before: Date; chunkRows: number },
): Promise<number> {
  return inTransaction(sql, async (tx) => {
    await tx`select 1 from pages where id = ${pageId} for update`;
    const { count } = await tx`
      with shown as materialized (
        select sha256(convert_to(text, 'UTF8')) as hash from (
          select title as text from incidents where page_id = ${pageId}
          union all select summary from incidents where page_id = ${pageId}
          union all select body from incident_updates where page_id = ${pageId}
          union all select body from postmortems where page_id = ${pageId}
        ) texts
      )
      delete from translations where (page_id, source_hash, source_language, language) in (
        select t.page_id, t.source_hash, t.source_language, t.language from translations t
        where t.page_id = ${pageId} and t.created_at < ${before}
          and not exists (select 1 from shown where shown.hash = t.source_hash)
        limit ${chunkRows})`;
    await tx`
      delete from translation_sources s where s.page_id = ${pageId}
        and not exists (select 1 from translations t where t.page_id = s.page_id and t.source_hash = s.hash)`;
    return count;
  });
}

/** Returns the SHA-256 of the text in UTF-8, in hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex');
}

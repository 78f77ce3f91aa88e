import type { PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { hashOf } from './translations.js';

/** A translation, and whether a person wrote or corrected it. */
export type Translated = { text: string; byPerson: boolean };

/** A text in the default language of the page, and what a person says that it is in another one. */
export type WrittenTranslation = { source: string; text: string };

/**
 * Stores translations that a person wrote, whatever was there before. The machine never overwrites them. A translation
 * belongs to a text: it shows wherever the page has the very same text, and again when an edit of the text is taken back.
 * `now` is in milliseconds since the epoch. Returns what was there before, by source.
 *
 * The caller has locked the page. The rows are locked in the order in which the loop locks them, so that neither waits
 * for the other for ever.
 */
export async function writeTranslations(
  tx: Transaction,
  {
    pageId,
    language,
    written,
    now,
  }: { pageId: PageId; language: string; written: readonly WrittenTranslation[]; now: number },
): Promise<ReadonlyMap<string, Translated>> {
  const sources = written.map(({ source }) => source);
  const before = await loadTranslated(tx, pageId, sources, [language]);
  const hashed = written.map(({ source, text }) => ({ hash: hashOf(source), source, text }));
  hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const at = new Date(now);
  for (const { hash, source, text } of hashed) {
    await tx`
      insert into translation_sources (page_id, hash, text)
      values (${pageId}, decode(${hash}, 'hex'), ${source})
      on conflict do nothing`;
    await tx`
      insert into translations (page_id, source_hash, source_language, language, text, by_person, next_attempt_at,
        created_at, translated_at)
      select id, decode(${hash}, 'hex'), default_language, ${language}, ${text}, true, ${at}, ${at}, ${at}
      from pages where id = ${pageId}
      on conflict (page_id, source_hash, source_language, language) do update
        set text = excluded.text, by_person = true, translated_at = excluded.translated_at, reason = null`;
  }
  return new Map(
    [...before].flatMap(([source, found]) => {
      const translated = found[language];
      return translated === undefined ? [] : [[source, translated] as const];
    }),
  );
}

/** Loads the translations of texts into some of the languages, by text and language. */
export async function loadTranslated(
  sql: Sql | Transaction,
  pageId: PageId,
  texts: readonly string[],
  languages: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, Translated>>>> {
  const found = new Map<string, Record<string, Translated>>();
  const texted = new Map(texts.map((text) => [hashOf(text), text]));
  if (texted.size === 0 || languages.length === 0) return found;
  const rows = await sql<{ hash: string; language: string; text: string; byPerson: boolean }[]>`
    select encode(t.source_hash, 'hex') as hash, t.language, t.text, t.by_person as "byPerson"
    from translations t join pages p on p.id = t.page_id and p.default_language = t.source_language
    where t.page_id = ${pageId} and t.text is not null and t.language = any (${[...languages]}::text[])
      and t.source_hash in (select decode(hash, 'hex') from unnest(${[...texted.keys()]}::text[]) as asked (hash))`;
  for (const { hash, language, ...translated } of rows) {
    const source = texted.get(hash) ?? '';
    found.set(source, { ...found.get(source), [language]: translated });
  }
  return found;
}

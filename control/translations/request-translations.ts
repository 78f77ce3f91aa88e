import { createHash } from 'node:crypto';
import type { PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/**
 * Asks, in the transaction that writes the texts, for their translation from the default language of the page into
 * each of its others. A text that was asked for before keeps what it has. `now` is in milliseconds since the epoch.
 *
 * The lock on the page keeps translations of a text from being pruned while it comes into use again.
 */
export async function requestTranslations(
  tx: Transaction,
  { pageId, texts, now }: { pageId: PageId; texts: readonly string[]; now: number },
): Promise<void> {
  const wanted = [...new Set(texts)].filter((text) => text.trim() !== '');
  if (wanted.length === 0) return;
  const hashes = wanted.map(hashOf);
  await tx`
    insert into translations (page_id, source_hash, source_language, language, source_text, next_attempt_at, created_at)
    select p.id, decode(source.hash, 'hex'), p.default_language, other.language, source.text, ${new Date(now)}, ${new Date(now)}
    from pages p, unnest(p.languages) as other (language),
      unnest(${hashes}::text[], ${wanted}::text[]) as source (hash, text)
    where p.id = ${pageId} and other.language <> p.default_language
    order by 2, 4
    for key share of p
    on conflict do nothing`;
}

/** The translations that are there, by text and language; only into languages that the page publishes now. */
export async function loadTranslations(
  sql: Sql | Transaction,
  pageId: PageId,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  const hashes = [...new Set(texts)].map(hashOf);
  if (hashes.length === 0) return found;
  const rows = await sql<{ source_text: string; language: string; text: string }[]>`
    select t.source_text, t.language, t.text
    from translations t join pages p on p.id = t.page_id and p.default_language = t.source_language
    where t.page_id = ${pageId} and t.text is not null and t.language = any (p.languages)
      and t.source_hash in (select decode(hash, 'hex') from unnest(${hashes}::text[]) as asked (hash))`;
  for (const { source_text: source, language, text } of rows) {
    found.set(source, { ...found.get(source), [language]: text });
  }
  return found;
}

/** SHA-256 of the text in UTF-8, in hex. */
function hashOf(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex');
}

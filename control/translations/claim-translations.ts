import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** A text that this process alone has translated into this language until its lease is over. */
export type ClaimedTranslation = {
  pageId: PageId;
  /** SHA-256 of the text, in hex. */
  sourceHash: string;
  sourceLanguage: string;
  language: string;
  sourceText: string;
  /** Failed ones. */
  attempts: number;
};

/**
 * Claims up to `limit` texts that are due, pages in turn, so that one with many does not hold up the others.
 * Only into languages that the page publishes now: others wait until it does again.
 */
export async function claimTranslations(
  { sql, clock }: { sql: Sql; clock: Clock },
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedTranslation[]> {
  const now = new Date(clock.now());
  const until = new Date(now.getTime() + leaseMs);
  const key = sql`page_id, source_hash, source_language, language`;
  const free = sql`t.text is null and t.next_attempt_at <= ${now} and (t.claimed_until is null or t.claimed_until <= ${now})`;
  return sql<ClaimedTranslation[]>`
    with recursive waiting (page_id) as (
      (select page_id from translations where text is null order by page_id limit 1)
      union all
      select (select page_id from translations where text is null and page_id > w.page_id order by page_id limit 1)
      from waiting w where w.page_id is not null
    ), due as (
      select turn.* from waiting w join pages p on p.id = w.page_id cross join lateral (
        select ${key}, next_attempt_at, row_number() over (order by next_attempt_at) as place
        from translations t
        where page_id = p.id and source_language = p.default_language and language = any (p.languages) and ${free}
        order by next_attempt_at limit ${limit}) turn
      order by turn.place, turn.next_attempt_at limit ${limit}
    ), taken as (
      select ${key} from translations t
      where (${key}) in (select ${key} from due) and ${free}
      for update skip locked
    )
    update translations t set claimed_until = ${until}
    from taken
    where (t.page_id, t.source_hash, t.source_language, t.language)
      = (taken.page_id, taken.source_hash, taken.source_language, taken.language)
    returning t.page_id as "pageId", encode(t.source_hash, 'hex') as "sourceHash",
      t.source_language as "sourceLanguage", t.language, t.source_text as "sourceText", t.attempts`;
}

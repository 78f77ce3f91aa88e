import { dayOfAttempts, nextAttemptAt } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { isUnclaimed } from '../../sql/claim.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { TranslationError } from './translator.js';

type Deps = { sql: Sql; clock: Clock };

/** A text that this instance alone may translate into this language until its lease ends. */
export type ClaimedTranslation = {
  pageId: PageId;
  /** SHA-256 of the text, in hex. */
  sourceHash: string;
  sourceLanguage: string;
  language: string;
  sourceText: string;
  /** Failed attempts. */
  attempts: number;
};

/**
 * Claims up to `limit` due texts, taking pages in turn, so that a page with many texts does not hold up the others.
 * Claims only languages that the page publishes now; texts in other languages wait until it publishes them again. Skips
 * rows whose text is stored nowhere.
 */
export async function claimTranslations(
  { sql, clock }: Deps,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedTranslation[]> {
  const now = clock.now();
  const until = new Date(now + leaseMs);
  const key = sql`page_id, source_hash, source_language, language`;
  const free = sql`
    t.text is null and t.next_attempt_at <= ${new Date(now)}
    and ${isUnclaimed(sql, 't.claimed_until', { now, leaseMs })}`;
  return sql<ClaimedTranslation[]>`
    with recursive waiting (page_id) as (
      (select page_id from translations where text is null order by page_id limit 1)
      union all
      select (select page_id from translations where text is null and page_id > w.page_id order by page_id limit 1)
      from waiting w where w.page_id is not null
    ), due as (
      select turn.* from waiting w join pages p on p.id = w.page_id and p.deleted_at is null cross join lateral (
        select ${key}, next_attempt_at, row_number() over (order by next_attempt_at) as place
        from translations t
        where page_id = p.id and source_language = p.default_language and language = any (p.languages) and ${free}
          and (source_text is not null or exists (
            select 1 from translation_sources s where s.page_id = t.page_id and s.hash = t.source_hash))
        order by next_attempt_at limit ${limit}) turn
      order by turn.place, turn.next_attempt_at limit ${limit}
    ), taken as (
      select ${key} from translations t
      where (${key}) in (select ${key} from due) and ${free}
      for update skip locked
    )
    update translations t set claimed_until = ${until}
    from taken left join translation_sources s on s.page_id = taken.page_id and s.hash = taken.source_hash
    where (t.page_id, t.source_hash, t.source_language, t.language)
      = (taken.page_id, taken.source_hash, taken.source_language, taken.language)
    returning t.page_id as "pageId", encode(t.source_hash, 'hex') as "sourceHash",
      t.source_language as "sourceLanguage", t.language, coalesce(s.text, t.source_text) as "sourceText",
      t.attempts`;
}

/** Stores the translations; `texts` are in the order of `claimed`. */
export async function recordTranslated(
  { sql, clock }: Deps,
  claimed: readonly ClaimedTranslation[],
  texts: readonly string[],
): Promise<void> {
  await sql`
    with ${inOrder(sql, claimed)}
    update translations t set text = done.text, translated_at = ${new Date(clock.now())}, claimed_until = null,
      reason = null
    from (select * from ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
      join unnest(${[...texts]}::text[]) with ordinality as x (text, place) using (place)) done
    where ${sameKey(sql, 'done')} and t.text is null and ${isHeld(sql)}`;
}

/**
 * Schedules the next attempt. Attempts never end, because they cost little: from the eighth failure on, a missing
 * translation costs one request a day.
 */
export async function recordFailed(
  { sql, clock }: Deps,
  claimed: readonly ClaimedTranslation[],
  { message, retryAfterMs }: TranslationError,
): Promise<void> {
  const now = clock.now();
  const times = claimed.map(({ attempts }) => {
    const next = nextAttemptAt(dayOfAttempts, attempts + 1, now) ?? now + dayMs;
    return new Date(Math.max(next, now + retryAfterMs)).toISOString();
  });
  await sql`
    with ${inOrder(sql, claimed)}
    update translations t set attempts = attempts + 1, next_attempt_at = failed.at, claimed_until = null,
      reason = ${message}
    from (select * from ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
      join unnest(${times}::text[]::timestamptz[]) with ordinality as x (at, place) using (place)) failed
    where ${sameKey(sql, 'failed')} and t.text is null and ${isHeld(sql)}`;
}

/** Releases claims that were not used, so that another instance can take them. */
export async function releaseTranslations(
  { sql }: { sql: Sql },
  claimed: readonly ClaimedTranslation[],
): Promise<void> {
  await sql`
    update translations t set claimed_until = null
    from ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
    where ${sameKey(sql, 'k')} and t.text is null`;
}

/**
 * Locks the rows in an order, the one in which a person's translations are written: otherwise the two may each wait for
 * a row of the other.
 */
function inOrder(sql: Sql, claimed: readonly ClaimedTranslation[]): Fragment {
  return sql`
    held as materialized (
      select t.page_id, t.source_hash, t.source_language, t.language
      from translations t, ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
      where ${sameKey(sql, 'k')} and t.text is null
      order by t.page_id, t.source_hash, t.source_language, t.language
      for update of t)`;
}

function isHeld(sql: Sql): Fragment {
  return sql`
    (t.page_id, t.source_hash, t.source_language, t.language) in (
      select page_id, source_hash, source_language, language from held)`;
}

function keysOf(sql: Sql, claimed: readonly ClaimedTranslation[]): Fragment {
  const column = (name: 'pageId' | 'sourceHash' | 'sourceLanguage' | 'language'): string[] =>
    claimed.map((row) => row[name]);
  return sql`
    unnest(${column('pageId')}::text[]::uuid[], ${column('sourceHash')}::text[], ${column('sourceLanguage')}::text[],
      ${column('language')}::text[]) with ordinality`;
}

function sameKey(sql: Sql, other: string): Fragment {
  const of = sql(other);
  return sql`
    t.page_id = ${of}.page_id and t.source_hash = decode(${of}.source_hash, 'hex')
      and t.source_language = ${of}.source_language and t.language = ${of}.language`;
}

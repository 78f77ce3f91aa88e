import { nextAttemptAt } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { ClaimedTranslation } from './claim-translations.js';
import type { TranslationError } from './translator.js';

type Deps = { sql: Sql; clock: Clock };

const dayMs = 24 * 3_600_000;

/** Puts the translations in place, each for its text. */
export async function recordTranslated(
  { sql, clock }: Deps,
  claimed: readonly ClaimedTranslation[],
  texts: readonly string[],
): Promise<void> {
  await sql`
    update translations t set text = done.text, translated_at = ${new Date(clock.now())}, claimed_until = null,
      reason = null
    from (select * from ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
      join unnest(${[...texts]}::text[]) with ordinality as x (text, place) using (place)) done
    where ${sameKey(sql, 'done')} and t.text is null`;
}

/** Tries again later, and never gives up: a translation that is missing costs a request a day. */
export async function recordFailed(
  { sql, clock }: Deps,
  claimed: readonly ClaimedTranslation[],
  { message, retryAfterMs }: TranslationError,
): Promise<void> {
  const now = clock.now();
  const times = claimed.map(({ attempts }) => {
    const next = nextAttemptAt(attempts + 1, now) ?? now + dayMs;
    return new Date(Math.max(next, now + retryAfterMs)).toISOString();
  });
  await sql`
    update translations t set attempts = attempts + 1, next_attempt_at = failed.at, claimed_until = null,
      reason = ${message}
    from (select * from ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
      join unnest(${times}::text[]::timestamptz[]) with ordinality as x (at, place) using (place)) failed
    where ${sameKey(sql, 'failed')} and t.text is null`;
}

/** Lets another instance have what this one has not begun. */
export async function releaseTranslations(
  { sql }: { sql: Sql },
  claimed: readonly ClaimedTranslation[],
): Promise<void> {
  await sql`
    update translations t set claimed_until = null
    from ${keysOf(sql, claimed)} as k (page_id, source_hash, source_language, language, place)
    where ${sameKey(sql, 'k')} and t.text is null`;
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

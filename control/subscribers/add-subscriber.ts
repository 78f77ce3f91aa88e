import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { newId, type SubscriberId } from '../../lib/ids.js';
import { matchLanguage } from '../../lib/language.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { listSubscribers } from './list-subscribers.js';
import { requestSubscription } from './request-subscription.js';
import { checkEmailAddress, loadSuppression, requirePage, type Subscriber } from './subscriber.js';

type Input = {
  slug: string;
  email: string;
  /** The page's default language when not given. */
  language?: string;
  /** Whether the operator knows that the address agreed; otherwise it is asked by email. */
  confirmed: boolean;
};

/**
 * Adds a subscriber, or changes the one with this address.
 *
 * @throws ControlError for an unknown page, a bad address, a language that the page does not publish, or an
 *   address that is suppressed.
 */
export async function addSubscriber(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: Input,
): Promise<Subscriber> {
  const page = await requirePage(sql, input.slug);
  const email = checkEmailAddress(input.email);
  const language = readPageLanguage(input.language, page);
  const suppressed = await loadSuppression(sql, page.id, email);
  if (suppressed !== undefined) {
    throw new ControlError(
      `${email} is suppressed (${suppressed}); lift that first with: heartline subscriber unsuppress`,
    );
  }
  if (input.confirmed) {
    const now = new Date(clock.now());
    await inTransaction(
      sql,
      (tx) => tx`
        insert into subscribers as s (id, page_id, email, language, created_at, requested_at, confirmed_at)
        values (${newId<SubscriberId>(clock.now())}, ${page.id}, ${email}, ${language}, ${now}, ${now}, ${now})
        on conflict (page_id, email) do update set
          language = excluded.language, confirmed_at = coalesce(s.confirmed_at, excluded.confirmed_at)`,
    );
  } else {
    await requestSubscription({ sql, clock }, { pageId: page.id, email, language });
  }
  const [subscriber] = await listSubscribers({ sql }, { slug: input.slug, email, limit: 1 });
  if (subscriber === undefined) throw new Error('The subscriber that was just added could not be read.');
  return subscriber;
}

function readPageLanguage(
  tag: string | undefined,
  { languages, defaultLanguage }: { languages: string[]; defaultLanguage: string },
): string {
  if (tag === undefined) return defaultLanguage;
  const language = matchLanguage(tag, languages);
  if (language === undefined) {
    throw new ControlError(`The page publishes ${languages.join(', ')}, not "${tag}".`);
  }
  return language;
}

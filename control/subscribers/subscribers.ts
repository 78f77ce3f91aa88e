import type { SuppressionReason } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { newId, type PageId, type SubscriberId } from '../../lib/ids.js';
import { matchLanguage } from '../../lib/language.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { loadSuppression, requestSubscription } from './subscriptions.js';

export type Subscriber = {
  id: SubscriberId;
  email: string;
  /** BCP 47 tag. */
  language: string;
  createdAt: Date;
  confirmedAt: Date | null;
  /** Why the address gets no email; `null` when it may. */
  suppressed: SuppressionReason | null;
};

type AddInput = {
  page: { id: PageId; languages: readonly string[]; defaultLanguage: string };
  email: string;
  /** The page's default language when absent. */
  language?: string;
  /** Whether the operator knows that the address has agreed. Otherwise an email asks for its confirmation. */
  confirmed: boolean;
};

type ListInput = {
  pageId: PageId;
  /** Lists only the subscriber with this address. */
  email?: string;
  /** Lists only subscribers after the one with this id. */
  after?: SubscriberId;
  limit: number;
};

/**
 * Adds a subscriber, or changes the subscriber that has this address.
 *
 * @throws ServiceError `invalidBody` for an invalid address and a language that the page does not publish, `conflict`
 *   for an address that is suppressed.
 */
export async function addSubscriber(
  { sql, clock }: { sql: Sql; clock: Clock },
  { page, ...input }: AddInput,
): Promise<Subscriber> {
  const email = parseAddress(input.email);
  const language = parsePageLanguage(input.language, page);
  const suppressed = await loadSuppression(sql, page.id, email);
  if (suppressed !== undefined) {
    throw new ServiceError('conflict', {
      message: `${email} is suppressed (${suppressed}); lift that first with: heartline subscriber unsuppress`,
    });
  }
  if (input.confirmed) {
    await inTransaction(sql, (tx) =>
      insertConfirmed(tx, { pageId: page.id, email, language, now: clock.now() }),
    );
  } else {
    await requestSubscription({ sql, clock }, { pageId: page.id, email, language });
  }
  const [subscriber] = await listSubscribers({ sql }, { pageId: page.id, email, limit: 1 });
  if (subscriber === undefined) throw new Error('The subscriber that was just added could not be read.');
  return subscriber;
}

async function insertConfirmed(
  tx: Transaction,
  { pageId, email, language, now }: { pageId: PageId; email: string; language: string; now: number },
): Promise<void> {
  const at = new Date(now);
  await tx`
    insert into subscribers as s (id, page_id, email, language, created_at, requested_at, confirmed_at)
    values (${newId<SubscriberId>(now)}, ${pageId}, ${email}, ${language}, ${at}, ${at}, ${at})
    on conflict (page_id, email) do update set
      language = excluded.language, confirmed_at = coalesce(s.confirmed_at, excluded.confirmed_at)`;
}

/** Lists the subscribers of a page in the order in which they were added. */
export async function listSubscribers(
  { sql }: { sql: Sql },
  { pageId, email, after, limit }: ListInput,
): Promise<Subscriber[]> {
  return sql<Subscriber[]>`
    select s.id, s.email, s.language, s.created_at as "createdAt", s.confirmed_at as "confirmedAt",
      u.reason as suppressed
    from subscribers s left join suppressions u on u.page_id = s.page_id and u.email = s.email
    where s.page_id = ${pageId}
      ${email === undefined ? sql`` : sql`and s.email = ${email}`}
      ${after === undefined ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`;
}

/** Loads the page and the language of a subscriber. Returns `undefined` when there is no such subscriber. */
export async function loadSubscriber(
  { sql }: { sql: Sql },
  subscriberId: SubscriberId,
): Promise<{ pageId: PageId; language: string } | undefined> {
  const [row] = await sql<{ pageId: PageId; language: string }[]>`
    select page_id as "pageId", language from subscribers where id = ${subscriberId}`;
  return row;
}

/**
 * Deletes a subscriber and the emails to it. A suppression of the address stays.
 *
 * @throws ServiceError `invalidBody` for an invalid address, `notFound` for one that is not a subscriber.
 */
export async function removeSubscriber(
  { sql }: { sql: Sql },
  { page, email }: { page: { id: PageId; slug: string }; email: string },
): Promise<{ email: string }> {
  const address = parseAddress(email);
  const removed = await sql`delete from subscribers where page_id = ${page.id} and email = ${address}`;
  if (removed.count === 0) {
    throw new ServiceError('notFound', { message: `${address} is not a subscriber of ${page.slug}.` });
  }
  return { email: address };
}

/**
 * Lifts the suppression of an address. It gets email only when it is also a confirmed subscriber.
 *
 * @throws ServiceError `invalidBody` for an invalid address, `notFound` for one that is not suppressed.
 */
export async function liftSuppression(
  { sql }: { sql: Sql },
  { page, email }: { page: { id: PageId; slug: string }; email: string },
): Promise<{ email: string; reason: SuppressionReason }> {
  const address = parseAddress(email);
  const [lifted] = await sql<{ reason: SuppressionReason }[]>`
    delete from suppressions where page_id = ${page.id} and email = ${address} returning reason`;
  if (lifted === undefined) {
    throw new ServiceError('notFound', { message: `${address} is not suppressed on ${page.slug}.` });
  }
  return { email: address, reason: lifted.reason };
}

function parseAddress(text: string): string {
  const email = parseEmailAddress(text);
  if (email === undefined) {
    throw new ServiceError('invalidBody', { message: `"${text}" is not an email address.` });
  }
  return email;
}

function parsePageLanguage(
  tag: string | undefined,
  { languages, defaultLanguage }: { languages: readonly string[]; defaultLanguage: string },
): string {
  if (tag === undefined) return defaultLanguage;
  const language = matchLanguage(tag, languages);
  if (language === undefined) {
    throw new ServiceError('invalidBody', {
      message: `The page publishes ${languages.join(', ')}, not "${tag}".`,
    });
  }
  return language;
}

import { type SuppressionReason, subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { newId, type PageId, parseId, type SubscriberId } from '../../lib/ids.js';
import { matchLanguage } from '../../lib/locale/language.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import {
  auditedSubscriber,
  lockSubscriber,
  noSuchSubscriber,
  recordSubscriber,
  type Subscriber,
  subscriberState,
} from './subscriber.js';
import { loadSuppression, signUp, takesSignUps } from './subscriptions.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/** Gets what is stored, in the transaction of the change, and may refuse the change by an error. */
type Checked = { check?: (subscriber: Subscriber) => void };

type AddInput = {
  page: { id: PageId; languages: readonly string[]; defaultLanguage: string };
  email: string;
  /** That of the subscriber who has the address, or the page's default language, when absent. */
  language?: string | undefined;
  /** Whether the operator knows that the address has agreed. Otherwise an email asks for its confirmation. */
  confirmed: boolean;
};

/** `isNew`: no subscriber had the address. */
export type AddedSubscriber = Subscriber & { isNew: boolean };

/**
 * Adds a subscriber, or changes the subscriber that has this address.
 *
 * @throws ServiceError `invalidBody` for an invalid address and a language that the page does not publish, `conflict`
 *   for an address that is suppressed, and when the page has too many unconfirmed addresses; what `check` throws, which
 *   is called for a subscriber that exists.
 */
export async function addSubscriber(
  { sql, clock, by }: Deps,
  { page, check, ...input }: AddInput & Checked,
): Promise<AddedSubscriber> {
  const email = parseAddress(input.email);
  const wanted = input.language === undefined ? undefined : parsePageLanguage(input.language, page);
  const now = clock.now();
  return inTransaction(sql, async (tx) => {
    await refuseSuppressed(tx, page.id, email);
    if (!input.confirmed) await refuseTooMany(tx, page.id);
    const ref = { pageId: page.id, email, now };
    const isNew = await insertUnconfirmed(tx, { ...ref, language: wanted ?? page.defaultLanguage });
    const found = await loadAdded(tx, ref);
    if (!isNew) check?.(found);
    const row = { ...ref, language: wanted ?? found.language };
    const confirmationEmailId = await (input.confirmed ? confirm(tx, row) : signUp(tx, row));
    const after = await loadAdded(tx, ref);
    await recordSubscriber(
      tx,
      { by, now },
      {
        ...{ pageId: page.id, verb: isNew ? 'create' : 'update', target: after },
        before: isNew ? null : auditedSubscriber(found),
        after: { ...auditedSubscriber(after), confirmationEmailId },
      },
    );
    return { ...after, isNew };
  });
}

type Row = { pageId: PageId; email: string; language: string; now: number };

/** Returns whether no subscriber had the address. */
async function insertUnconfirmed(tx: Transaction, { pageId, email, language, now }: Row): Promise<boolean> {
  const at = new Date(now);
  const { count } = await tx`
    insert into subscribers (id, page_id, email, language, created_at, requested_at)
    values (${newId<SubscriberId>(now)}, ${pageId}, ${email}, ${language}, ${at}, ${at})
    on conflict (page_id, email) do nothing`;
  return count === 1;
}

async function loadAdded(tx: Transaction, ref: { pageId: PageId; email: string }): Promise<Subscriber> {
  const subscriber = await lockSubscriber(tx, ref);
  if (subscriber === undefined) throw new Error('The subscriber that was just added could not be read.');
  return subscriber;
}

async function confirm(tx: Transaction, { pageId, email, language, now }: Row): Promise<undefined> {
  await tx`
    update subscribers set language = ${language}, confirmed_at = coalesce(confirmed_at, ${new Date(now)})
    where page_id = ${pageId} and email = ${email}`;
}

async function refuseSuppressed(tx: Transaction, pageId: PageId, email: string): Promise<void> {
  const suppressed = await loadSuppression(tx, pageId, email);
  if (suppressed === undefined) return;
  throw new ServiceError('conflict', {
    message: `${email} is suppressed (${suppressed}); lift that first with: heartline subscriber unsuppress`,
  });
}

async function refuseTooMany(tx: Transaction, pageId: PageId): Promise<void> {
  if (await takesSignUps({ sql: tx }, pageId)) return;
  throw new ServiceError('conflict', {
    message: `The page has ${subscriberLimits.unconfirmedPerPage} unconfirmed addresses, which is the most.`,
  });
}

/** Loads the page and the language of a subscriber. Returns `undefined` when there is no such subscriber. */
export async function loadSubscriber(
  { sql }: { sql: Sql },
  subscriberId: SubscriberId,
): Promise<{ pageId: PageId; language: string; isChat: boolean } | undefined> {
  const [row] = await sql<{ pageId: PageId; language: string; isChat: boolean }[]>`
    select page_id as "pageId", language, email is null as "isChat" from subscribers where id = ${subscriberId}`;
  return row;
}

/** Names an address of a page: by itself, or by the id of its subscriber. */
type AddressRef = { page: { id: PageId; slug: string } } & ({ email: string } | { id: string });

/**
 * Deletes a subscriber and the emails to it. A suppression of the address stays.
 *
 * @throws ServiceError `invalidBody` for an invalid address, `notFound` for one that is not a subscriber, or an id of
 *   none; what `check` throws.
 */
export async function removeSubscriber(
  { sql, clock, by }: Deps,
  { page, check, ...ref }: AddressRef & Checked,
): Promise<{ email: string }> {
  const name = 'email' in ref ? { email: parseAddress(ref.email) } : ref;
  return inTransaction(sql, async (tx) => {
    const before = await lockSubscriber(tx, { pageId: page.id, ...name });
    if (before === undefined)
      throw 'id' in name ? noSuchSubscriber(name.id) : notSubscribed(page.slug, name.email);
    check?.(before);
    await tx`delete from subscribers where page_id = ${page.id} and id = ${before.id}`;
    await recordSubscriber(
      tx,
      { by, now: clock.now() },
      {
        ...{ pageId: page.id, verb: 'delete', target: before },
        ...{ before: auditedSubscriber(before), after: null },
      },
    );
    return { email: before.email };
  });
}

function notSubscribed(slug: string, email: string): ServiceError {
  return new ServiceError('notFound', { message: `${email} is not a subscriber of ${slug}.` });
}

/** A suppressed address; `id` is that of its subscriber, or of the suppression where there is none. */
export type SuppressedAddress = { id: string; email: string; reason: SuppressionReason; confirmed: boolean };

/**
 * Lifts the suppression of an address. It gets email only when it is also a confirmed subscriber.
 *
 * @throws ServiceError `invalidBody` for an invalid address, `notFound` for one that is not suppressed, or an id of
 *   none; `conflict` for the id of a subscriber that is not suppressed; what `check` throws.
 */
export async function liftSuppression(
  { sql, clock, by }: Deps,
  { page, check, ...ref }: AddressRef & { check?: (address: SuppressedAddress) => void },
): Promise<{ email: string; reason: SuppressionReason }> {
  const name = 'email' in ref ? { email: parseAddress(ref.email) } : ref;
  return inTransaction(sql, async (tx) => {
    const subscriber = await lockSubscriber(tx, { pageId: page.id, ...name });
    const suppression = await lockSuppression(tx, page.id, subscriber ?? name);
    if (suppression === undefined) throw notSuppressed(page.slug, name, subscriber);
    const { email, reason } = suppression;
    const confirmed = subscriber !== undefined && subscriber.confirmedAt !== null;
    const target = { id: subscriber?.id ?? suppression.id, email };
    check?.({ ...target, reason, confirmed });
    await tx`delete from suppressions where page_id = ${page.id} and email = ${email}`;
    await recordSubscriber(
      tx,
      { by, now: clock.now() },
      {
        ...{ pageId: page.id, verb: 'unsuppress', target },
        before: { state: reason },
        after: {
          state: subscriber === undefined ? null : subscriberState({ ...subscriber, suppressed: null }),
        },
      },
    );
    return { email, reason };
  });
}

async function lockSuppression(
  tx: Transaction,
  pageId: PageId,
  ref: { email: string } | { id: string },
): Promise<{ id: string; email: string; reason: SuppressionReason } | undefined> {
  const condition =
    'email' in ref ? tx`email = ${ref.email}` : tx`id = ${parseId<SubscriberId>(ref.id) ?? null}`;
  const [row] = await tx<{ id: string; email: string; reason: SuppressionReason }[]>`
    select id, email, reason from suppressions where page_id = ${pageId} and ${condition} for update`;
  return row;
}

function notSuppressed(
  slug: string,
  ref: { email: string } | { id: string },
  subscriber: Subscriber | undefined,
): ServiceError {
  if ('email' in ref) {
    return new ServiceError('notFound', { message: `${ref.email} is not suppressed on ${slug}.` });
  }
  if (subscriber === undefined) return noSuchSubscriber(ref.id);
  return new ServiceError('conflict', { message: `${subscriber.email} is not suppressed on ${slug}.` });
}

function parseAddress(text: string): string {
  const email = parseEmailAddress(text);
  if (email === undefined) {
    throw new ServiceError('invalidBody', { message: `"${text}" is not an email address.` });
  }
  return email;
}

function parsePageLanguage(tag: string, { languages }: { languages: readonly string[] }): string {
  const language = matchLanguage(tag, languages);
  if (language === undefined) {
    throw new ServiceError('invalidBody', {
      message: `The page publishes ${languages.join(', ')}, not "${tag}".`,
    });
  }
  return language;
}

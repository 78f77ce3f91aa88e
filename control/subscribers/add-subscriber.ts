import { subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type SubscriberId } from '../../lib/ids.js';
import { matchLanguage } from '../../lib/locale/language.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { auditedSubscriber, recordSubscriber } from './audit-subscriber.js';
import { lockSubscriber, parseAddress, type Subscriber } from './find-subscriber.js';
import { loadSuppression, signUp, takesSignUps } from './sign-up.js';

export type SubscriberDeps = { sql: Sql; clock: Clock; by: Actor };

/** Gets the subscriber as it is, in the transaction of the change, and may refuse the change by an error. */
export type Checked = { check?: (subscriber: Subscriber) => void };

type AddInput = {
  page: { id: PageId; languages: readonly string[]; defaultLanguage: string };
  email: string;
  /** When absent, the language of the subscriber who has the address, or the page's default language. */
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
  { sql, clock, by }: SubscriberDeps,
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

function parsePageLanguage(tag: string, { languages }: { languages: readonly string[] }): string {
  const language = matchLanguage(tag, languages);
  if (language === undefined) {
    throw new ServiceError('invalidBody', {
      message: `The page publishes ${languages.join(', ')}, not "${tag}".`,
    });
  }
  return language;
}

import type { SubscriberState, SuppressionReason } from '../../contract/subscribers.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { type PageId, parseId, type SubscriberId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

export type Subscriber = {
  id: SubscriberId;
  email: string;
  /** BCP 47 tag. */
  language: string;
  createdAt: Date;
  confirmedAt: Date | null;
  /** Why the address gets no email; `null` when it may. */
  suppressed: SuppressionReason | null;
  /** Since when it gets none. */
  suppressedAt: Date | null;
};

/** The columns that make a Subscriber, of `subscribers s` joined with `suppressions u`. */
export const subscriberColumns = (sql: Sql | Transaction): Fragment => sql`
  s.id, s.email, s.language, s.created_at as "createdAt", s.confirmed_at as "confirmedAt",
  u.reason as suppressed, u.created_at as "suppressedAt"`;

/** Whether an address gets email, and if not, why. */
export function subscriberState({
  confirmedAt,
  suppressed,
}: Pick<Subscriber, 'confirmedAt' | 'suppressed'>): SubscriberState {
  return suppressed ?? (confirmedAt === null ? 'unconfirmed' : 'confirmed');
}

/** Names one subscriber of a page. `email` is in the form that parseEmailAddress() returns. */
export type SubscriberRef = { pageId: PageId } & ({ id: string } | { email: string });

/** Returns an address in the form in which it is stored. @throws ServiceError `invalidBody` */
export function parseAddress(text: string): string {
  const email = parseEmailAddress(text);
  if (email === undefined) {
    throw new ServiceError('invalidBody', { message: `"${text}" is not an email address.` });
  }
  return email;
}

/** Locks a subscriber until the transaction ends. Returns `undefined` when there is no such subscriber. */
export async function lockSubscriber(tx: Transaction, ref: SubscriberRef): Promise<Subscriber | undefined> {
  const id = 'id' in ref ? parseId<SubscriberId>(ref.id) : undefined;
  if ('id' in ref && id === undefined) return undefined;
  const [subscriber] = await tx<Subscriber[]>`
    select ${subscriberColumns(tx)}
    from subscribers s left join suppressions u on u.page_id = s.page_id and u.email = s.email
    where s.page_id = ${ref.pageId} and s.email is not null and ${'email' in ref ? tx`s.email = ${ref.email}` : tx`s.id = ${id ?? null}`}
    for update of s`;
  return subscriber;
}

/** The error for an id that no subscriber of the page has. */
export function noSuchSubscriber(id: string): ServiceError {
  return new ServiceError('notFound', {
    message: `The page has no subscriber with the id "${id.slice(0, 60)}".`,
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

import type { SubscriberFilter, SuppressionReason } from '../../contract/subscribers.js';
import type { PageId, SubscriberId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { type Subscriber, subscriberColumns } from './find-subscriber.js';

type ListInput = {
  pageId: PageId;
  /** Lists only the subscriber with this address. */
  email?: string;
  /** Lists only subscribers after the one with this id. */
  after?: SubscriberId;
  limit: number;
};

/** Lists the subscribers of a page in the order in which they were added. */
export async function listSubscribers(
  { sql }: { sql: Sql },
  { pageId, email, after, limit }: ListInput,
): Promise<Subscriber[]> {
  return sql<Subscriber[]>`
    select ${subscriberColumns(sql)}
    from subscribers s left join suppressions u on u.page_id = s.page_id and u.email = s.email
    where s.page_id = ${pageId} and s.email is not null
      ${email === undefined ? sql`` : sql`and s.email = ${email}`}
      ${after === undefined ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`;
}

/** The address of a subscriber of a page, or a suppressed address without a subscriber. */
export type ListedAddress = {
  /** The id of the subscriber, or of the suppression when there is no subscriber. */
  id: string;
  email: string;
  /** BCP 47 tag; null for no subscriber. */
  language: string | null;
  /** null for no subscriber. */
  createdAt: Date | null;
  confirmedAt: Date | null;
  /** Why the address gets no email; `null` when it may. */
  suppressed: SuppressionReason | null;
  suppressedAt: Date | null;
};

export type AddressListInput = {
  pageId: PageId;
  /** Part of the address. */
  contains?: string | undefined;
  /** Every subscriber when absent. */
  state?: SubscriberFilter | undefined;
  limit: number;
  /** Lists only addresses behind this one. */
  after?: Pick<ListedAddress, 'id' | 'email' | 'suppressedAt'> | undefined;
};

/**
 * Lists addresses of a page, newest first: subscribers by the time at which they were added, suppressed addresses by
 * the time since which they are.
 */
export async function listAddresses(
  { sql }: { sql: Sql },
  input: AddressListInput,
): Promise<ListedAddress[]> {
  return sql<ListedAddress[]>`${selectAddresses(sql, input)}`;
}

/** The query of listAddresses(). */
export function selectAddresses(sql: Sql, input: AddressListInput): Fragment {
  return input.state === 'suppressed' ? selectSuppressed(sql, input) : selectSubscribers(sql, input);
}

function selectSubscribers(sql: Sql, { pageId, contains, state, limit, after }: AddressListInput): Fragment {
  const confirmed = state === 'confirmed' ? sql`s.confirmed_at is not null` : sql`s.confirmed_at is null`;
  return sql`
    select ${subscriberColumns(sql)}
    from subscribers s left join suppressions u on u.page_id = s.page_id and u.email = s.email
    where s.page_id = ${pageId} and s.email is not null
      ${state === undefined ? sql`` : sql`and u.email is null and ${confirmed}`}
      ${contains === undefined ? sql`` : sql`and strpos(s.email, ${contains.toLowerCase()}) > 0`}
      ${after === undefined ? sql`` : sql`and s.id < ${after.id}`}
    order by s.id desc limit ${limit}`;
}

function selectSuppressed(sql: Sql, { pageId, contains, limit, after }: AddressListInput): Fragment {
  return sql`
    select coalesce(s.id, u.id) as id, u.email, s.language, s.created_at as "createdAt",
      s.confirmed_at as "confirmedAt", u.reason as suppressed, u.created_at as "suppressedAt"
    from suppressions u left join subscribers s on s.page_id = u.page_id and s.email = u.email
    where u.page_id = ${pageId}
      ${contains === undefined ? sql`` : sql`and strpos(u.email, ${contains.toLowerCase()}) > 0`}
      ${after === undefined ? sql`` : sql`and (u.created_at, u.email) < (${after.suppressedAt}, ${after.email})`}
    order by u.created_at desc, u.email desc limit ${limit}`;
}

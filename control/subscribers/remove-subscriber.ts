import type { SuppressionReason } from '../../contract/subscribers.js';
import { type PageId, parseId, type SubscriberId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Checked, SubscriberDeps } from './add-subscriber.js';
import { auditedSubscriber, recordSubscriber } from './audit-subscriber.js';
import {
  lockSubscriber,
  noSuchSubscriber,
  parseAddress,
  type Subscriber,
  subscriberState,
} from './find-subscriber.js';

/** Names an address of a page: by itself, or by the id of its subscriber. */
type AddressRef = { page: { id: PageId; slug: string } } & ({ email: string } | { id: string });

/**
 * Deletes a subscriber and the emails to it. A suppression of the address stays.
 *
 * @throws ServiceError `invalidBody` for an invalid address, `notFound` for one that is not a subscriber, or an id of
 *   none; what `check` throws.
 */
export async function removeSubscriber(
  { sql, clock, by }: SubscriberDeps,
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

/** A suppressed address; `id` names its subscriber, or the suppression where there is none. */
export type SuppressedAddress = { id: string; email: string; reason: SuppressionReason; confirmed: boolean };

/**
 * Lifts the suppression of an address. It gets email only when it is also a confirmed subscriber.
 *
 * @throws ServiceError `invalidBody` for an invalid address, `notFound` for one that is not suppressed, or an id of
 *   none; `conflict` for the id of a subscriber that is not suppressed; what `check` throws.
 */
export async function liftSuppression(
  { sql, clock, by }: SubscriberDeps,
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

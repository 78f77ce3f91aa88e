import { subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { EmailId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { recordSubscriber } from './audit-subscriber.js';
import { lockSubscriber, noSuchSubscriber, type Subscriber } from './find-subscriber.js';
import { countConfirmations, queueConfirmation } from './sign-up.js';

/**
 * Queues another email that asks a subscriber for its confirmation.
 *
 * @throws ServiceError `notFound` when the page has no such subscriber; `conflict` for one that has confirmed or is
 *   suppressed, while such an email waits, and after as many as an address gets in a day; what `check` throws.
 */
export async function sendConfirmation(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, id, check }: { pageId: PageId; id: string; check?: (subscriber: Subscriber) => void },
): Promise<{ emailId: EmailId; subscriber: Subscriber }> {
  return inTransaction(sql, async (tx) => {
    const subscriber = await lockSubscriber(tx, { pageId, id });
    if (subscriber === undefined) throw noSuchSubscriber(id);
    check?.(subscriber);
    const now = clock.now();
    const problem = problemOfAsking(subscriber, await countConfirmations(tx, subscriber.id, now));
    if (problem !== undefined) throw new ServiceError('conflict', { message: problem });
    await tx`
      update subscribers set requested_at = ${new Date(now)} where page_id = ${pageId} and id = ${subscriber.id}`;
    const emailId = await queueConfirmation(tx, { pageId, subscriberId: subscriber.id, now });
    const sides = { before: {}, after: { confirmationEmailId: emailId } };
    await recordSubscriber(tx, { by, now }, { pageId, verb: 'confirm-mail', target: subscriber, ...sides });
    return { emailId, subscriber };
  });
}

function problemOfAsking(
  { email, confirmedAt, suppressed }: Subscriber,
  asked: { lately: number; pending: number },
): string | undefined {
  if (suppressed !== null) return `${email} is suppressed (${suppressed}); lift that first.`;
  if (confirmedAt !== null) return `${email} has confirmed.`;
  if (asked.pending > 0) return `A confirmation for ${email} waits to be sent.`;
  if (asked.lately < subscriberLimits.confirmationsPerDay) return undefined;
  return `${email} was asked ${subscriberLimits.confirmationsPerDay} times within 24 hours, which is the most.`;
}

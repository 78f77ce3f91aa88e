import type { Clock } from '../../lib/clock.js';
import { type EmailId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { sendAgain } from '../delivery/index.js';
import { type SubscriberEmail, selectEmails } from './list-emails.js';
import { emailTable } from './mail/email-queue.js';

/** Names one email: by its id, or by its id among the emails of a page. */
type EmailRef = { id: string; pageId?: PageId };

/**
 * Makes a parked email due again, and starts its attempts over.
 *
 * @throws ServiceError `notFound` when there is no such email, `conflict` when it is not parked; what `check` throws.
 */
export async function resendSubscriberEmail(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { check, ...ref }: EmailRef & { check?: (email: SubscriberEmail) => void },
): Promise<SubscriberEmail> {
  return inTransaction(sql, async (tx) => {
    const before = await lockEmail(tx, ref);
    check?.(before);
    const { id, pageId, kind } = before;
    if (before.state !== 'parked') {
      throw new ServiceError('conflict', {
        message: `The email ${id} is ${before.state}; only a parked one can be sent again.`,
      });
    }
    const now = clock.now();
    const after = { attempts: 0, reason: null, state: 'pending' } as const;
    await sendAgain(tx, emailTable, { id, now });
    await recordChange(
      tx,
      { by, now },
      {
        ...{ pageId, action: 'email.resend', target: { type: 'email', id, name: kind } },
        // The reason may repeat the address; see maskAddress().
        before: { state: before.state, attempts: before.attempts },
        after: { state: after.state, attempts: after.attempts },
      },
    );
    return { ...before, ...after, nextAttemptAt: new Date(now), finishedAt: null };
  });
}

/** @throws ServiceError `notFound` */
async function lockEmail(tx: Transaction, { id, pageId }: EmailRef): Promise<SubscriberEmail> {
  const emailId = parseId<EmailId>(id);
  if (emailId === undefined) throw noSuchEmail(id);
  const [email] = await tx<SubscriberEmail[]>`
    ${selectEmails(tx)}
    where e.id = ${emailId} ${pageId === undefined ? tx`` : tx`and e.page_id = ${pageId}`}
    for no key update of e`;
  if (email === undefined) throw noSuchEmail(id);
  return email;
}

function noSuchEmail(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no email with the id "${id.slice(0, 60)}".` });
}

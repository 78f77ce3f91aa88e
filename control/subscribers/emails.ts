import type { EmailKind, EmailState } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { type EmailId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { sendAgain } from '../delivery/index.js';
import { emailTable } from './mail/email-queue.js';

export type SubscriberEmail = {
  id: EmailId;
  pageId: PageId;
  kind: EmailKind;
  email: string;
  state: EmailState;
  attempts: number;
  createdAt: Date;
  /** `null` unless the email is pending. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** Reason of the last failure. */
  reason: string | null;
};

type ListInput = {
  pageId: PageId;
  state?: EmailState | undefined;
  kind?: EmailKind | undefined;
  limit: number;
  /** Lists only emails behind the one with this id. */
  after?: string | undefined;
};

/** Lists the emails of a page, newest first. */
export async function listSubscriberEmails(
  { sql }: { sql: Sql },
  { pageId, state, kind, limit, after }: ListInput,
): Promise<SubscriberEmail[]> {
  return sql<SubscriberEmail[]>`
    ${selectEmails(sql)}
    where e.page_id = ${pageId}
      ${state === undefined ? sql`` : ofState(sql, state)}
      ${kind === undefined ? sql`` : sql`and e.kind = ${kind}`}
      ${after === undefined ? sql`` : sql`and e.id < ${after}`}
    order by e.id desc limit ${limit}`;
}

/** The state of parked emails as a constant, so that every plan uses their index. */
function ofState(sql: Sql, state: EmailState): Fragment {
  return state === 'parked' ? sql`and e.state = 'parked'` : sql`and e.state = ${state}`;
}

const selectEmails = (sql: Sql | Transaction): Fragment => sql`
  select e.id, e.page_id as "pageId", e.kind, coalesce(e.recipient, s.email) as email, e.state, e.attempts,
    e.created_at as "createdAt", case when e.state = 'pending' then e.next_attempt_at end as "nextAttemptAt",
    e.finished_at as "finishedAt", e.reason
  from emails e left join subscribers s on s.id = e.subscriber_id`;

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

/** Deletes the emails that ended before `before`. Returns how many were deleted. */
export async function pruneEmails(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from emails where id in (
        select id from emails where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
        and finished_at < ${before}`;
    return count;
  });
}

function noSuchEmail(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no email with the id "${id.slice(0, 60)}".` });
}

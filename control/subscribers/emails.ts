import type { EmailKind, EmailState } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { type EmailId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';

export type SubscriberEmail = {
  id: EmailId;
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

/** Lists the emails of a page, newest first. */
export async function listSubscriberEmails(
  { sql }: { sql: Sql },
  { pageId, state, limit }: { pageId: PageId; state?: EmailState; limit: number },
): Promise<SubscriberEmail[]> {
  return sql<SubscriberEmail[]>`
    select e.id, e.kind, coalesce(e.recipient, s.email) as email, e.state, e.attempts, e.created_at as "createdAt",
      case when e.state = 'pending' then e.next_attempt_at end as "nextAttemptAt",
      e.finished_at as "finishedAt", e.reason
    from emails e left join subscribers s on s.id = e.subscriber_id
    where e.page_id = ${pageId} ${state === undefined ? sql`` : sql`and e.state = ${state}`}
    order by e.id desc limit ${limit}`;
}

/**
 * Makes a parked email due again, and starts its attempts over.
 *
 * @throws ServiceError `notFound` when there is no such email, `conflict` when it is not parked.
 */
export async function resendSubscriberEmail(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<{ id: EmailId }> {
  const emailId = parseId<EmailId>(id);
  if (emailId === undefined) throw noSuchEmail(id);
  const [resent] = await sql<{ id: EmailId }[]>`
    update emails set state = 'pending', attempts = 0, next_attempt_at = ${new Date(clock.now())},
      claimed_until = null, reason = null, finished_at = null
    where id = ${emailId} and state = 'parked' returning id`;
  if (resent !== undefined) return resent;
  const [other] = await sql<{ state: EmailState }[]>`select state from emails where id = ${emailId}`;
  if (other === undefined) throw noSuchEmail(id);
  throw new ServiceError('conflict', {
    message: `The email ${emailId} is ${other.state}; only a parked one can be sent again.`,
  });
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
  return new ServiceError('notFound', { message: `There is no email with the id "${id}".` });
}

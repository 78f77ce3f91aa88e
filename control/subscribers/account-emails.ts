import type { PageRole } from '../../contract/permissions.js';
import type { EmailState } from '../../contract/subscribers.js';
import { dayOfAttempts, nextAttemptAt } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import { type EmailId, newId } from '../../lib/ids.js';
import { isUnclaimed } from '../../sql/claim.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { openColumn, sealColumn } from '../../sql/sealed-columns.js';

/** What an email to a person with an account says. `link` lets its holder in, so nothing keeps it in the clear. */
export type AccountEmailContent =
  | {
      kind: 'invitation';
      link: string;
      invitedBy: string;
      /** Name of the page; absent for an invitation to run the installation. */
      page?: string | undefined;
      role?: PageRole | undefined;
    }
  | {
      kind: 'reset';
      link: string;
      /** Whether the link proves the email for the first time, which ends the authenticator app of before. */
      isFirstProof?: boolean | undefined;
    };

export type NewAccountEmail = {
  recipient: string;
  /** A language tag. */
  language: string;
  content: AccountEmailContent;
  /** When the link ends; the email is not sent after that. */
  expiresAt: Date;
};

/**
 * Queues an email to a person, in the transaction of the change that it is about where there is one. Call it only where an SMTP server is
 * configured: without one the email waits until its link has ended.
 *
 * @param deps.now milliseconds since the epoch
 */
export async function queueAccountEmail(
  tx: Sql | Transaction,
  { secretKey, now }: { secretKey: string; now: number },
  { recipient, language, content, expiresAt }: NewAccountEmail,
): Promise<void> {
  const id = newId<EmailId>(now);
  const sealed = sealColumn(secretKey, 'account-email', id, JSON.stringify(content));
  await tx`
    insert into account_emails (id, kind, recipient, language, content, next_attempt_at, created_at, expires_at)
    values (${id}, ${content.kind}, ${recipient}, ${language}, ${sealed}, ${new Date(now)}, ${new Date(now)},
      ${expiresAt})`;
}

/** An email that this instance alone may send until its lease ends. */
export type ClaimedAccountEmail = Omit<NewAccountEmail, 'content'> & {
  id: EmailId;
  /** Attempts, this one included. */
  attempts: number;
  /** Not readable after the secret key of the installation was changed. */
  content: AccountEmailContent | undefined;
};

type Deps = { sql: Sql; clock: Clock };

/** Claims up to `limit` due emails, oldest first. An email whose lease has ended is due again. */
export async function claimAccountEmails(
  { sql, clock, secretKey }: Deps & { secretKey: string },
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedAccountEmail[]> {
  const now = clock.now();
  const rows = await sql<(Omit<ClaimedAccountEmail, 'content'> & { sealed: Buffer })[]>`
    update account_emails set claimed_until = ${new Date(now + leaseMs)}, attempts = attempts + 1
    where id in (
      select id from account_emails
      where state = 'pending' and next_attempt_at <= ${new Date(now)} and expires_at > ${new Date(now)}
        and ${isUnclaimed(sql, 'claimed_until', { now, leaseMs })}
      order by next_attempt_at limit ${limit} for update skip locked)
    returning id, recipient, language, attempts, expires_at as "expiresAt", content as sealed`;
  return rows.map(({ sealed, ...row }) => ({ ...row, content: openContent(secretKey, row.id, sealed) }));
}

function openContent(secretKey: string, id: EmailId, sealed: Buffer): AccountEmailContent | undefined {
  try {
    return JSON.parse(openColumn(secretKey, 'account-email', id, sealed));
  } catch {
    return undefined;
  }
}

/** Ends an email, and forgets its link. */
export async function finishAccountEmail(
  { sql, clock }: Deps,
  id: EmailId,
  { state, reason = null }: { state: Exclude<EmailState, 'pending'>; reason?: string | null },
): Promise<void> {
  await sql`
    update account_emails set state = ${state}, reason = ${reason}, content = null, claimed_until = null,
      finished_at = ${new Date(clock.now())}
    where id = ${id} and state = 'pending'`;
}

/** Records a failed attempt: the email is due again later, or parked when its link ends before that. */
export async function retryAccountEmail(
  { sql, clock }: Deps,
  { id, attempts, expiresAt }: ClaimedAccountEmail,
  reason: string,
): Promise<'retried' | 'parked'> {
  const nextAt = nextAttemptAt(dayOfAttempts, attempts, clock.now());
  if (nextAt === undefined || nextAt >= expiresAt.getTime()) {
    await finishAccountEmail({ sql, clock }, id, { state: 'parked', reason });
    return 'parked';
  }
  await sql`
    update account_emails set claimed_until = null, next_attempt_at = ${new Date(nextAt)}, reason = ${reason}
    where id = ${id} and state = 'pending'`;
  return 'retried';
}

/** Releases the claim of an email that was not sent. The attempt does not count. */
export async function releaseAccountEmail({ sql }: Pick<Deps, 'sql'>, id: EmailId): Promise<void> {
  await sql`
    update account_emails set claimed_until = null, attempts = attempts - 1
    where id = ${id} and state = 'pending'`;
}

/** Deletes the emails that ended, or whose links ended, before `before`. Returns how many were deleted. */
export async function pruneAccountEmails(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from account_emails where id in (
        select id from account_emails
        where created_at < ${before} and coalesce(finished_at, expires_at) < ${before} limit ${chunkRows})`;
    return count;
  });
}

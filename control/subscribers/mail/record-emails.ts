import { nextAttemptAt } from '../../../lib/back-off.js';
import type { Clock } from '../../../lib/clock.js';
import type { EmailId } from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import type { ClaimedEmail } from './claim-emails.js';
import type { EmailFailure } from './email-failure.js';

type Deps = { sql: Sql; clock: Clock };

/** Ends emails for which nothing more is done until an operator says so. */
export async function parkEmails(
  { sql, clock }: { sql: Sql | Transaction; clock: Clock },
  ids: readonly EmailId[],
  reason: string,
): Promise<void> {
  await sql`
    update emails set state = 'parked', reason = ${reason}, claimed_until = null,
      finished_at = ${new Date(clock.now())}
    where id = any (${[...ids]}::uuid[]) and state = 'pending'`;
}

/** Ends emails that the server has taken. */
export async function recordDelivered({ sql, clock }: Deps, ids: readonly EmailId[]): Promise<void> {
  await sql`
    update emails set state = 'delivered', reason = null, claimed_until = null,
      finished_at = ${new Date(clock.now())}
    where id = any (${[...ids]}::uuid[]) and state = 'pending'`;
}

/** Suppresses an address that bounced; any other failure is repeated later, or parked when it was the last. */
export async function recordFailure(
  { sql, clock }: Deps,
  email: ClaimedEmail,
  { bounced, reason }: EmailFailure,
): Promise<'bounced' | 'parked' | 'retried'> {
  if (bounced) {
    await inTransaction(sql, async (tx) => {
      await parkEmails({ sql: tx, clock }, [email.id], reason);
      await tx`
        insert into suppressions (page_id, email, reason, created_at)
        values (${email.pageId}, ${email.email}, 'bounced', ${new Date(clock.now())})
        on conflict (page_id, email) do update set reason = 'bounced', created_at = excluded.created_at`;
    });
    return 'bounced';
  }
  const nextAt = nextAttemptAt(email.attempts, clock.now());
  if (nextAt === undefined) {
    await parkEmails({ sql, clock }, [email.id], reason);
    return 'parked';
  }
  await sql`
    update emails set claimed_until = null, next_attempt_at = ${new Date(nextAt)}, reason = ${reason}
    where id = ${email.id} and state = 'pending'`;
  return 'retried';
}

/** Gives claimed emails back that were not sent after all, as if they had not been claimed. */
export async function releaseEmails({ sql }: { sql: Sql }, ids: readonly EmailId[]): Promise<void> {
  await sql`
    update emails set claimed_until = null, attempts = attempts - 1
    where id = any (${[...ids]}::uuid[]) and state = 'pending'`;
}

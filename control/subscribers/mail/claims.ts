import type { EmailKind, SuppressionReason } from '../../../contract/subscribers.js';
import { dayOfAttempts, nextAttemptAt } from '../../../lib/back-off.js';
import type { Clock } from '../../../lib/clock.js';
import type { AnnouncementId, EmailId, PageId, SubscriberId } from '../../../lib/ids.js';
import { isUnclaimed } from '../../../sql/claim.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import type { OwnerNotice } from '../notices.js';
import type { EmailFailure } from './smtp.js';

type Deps = { sql: Sql; clock: Clock };

/** An email that this instance alone may send until its lease ends. */
export type ClaimedEmail = {
  id: EmailId;
  kind: EmailKind;
  /** Attempts, this one included. */
  attempts: number;
  announcementId: AnnouncementId | null;
  /** Null for a notice, which goes to an owner of the page. */
  subscriberId: SubscriberId | null;
  notice: OwnerNotice | null;
  email: string;
  language: string;
  confirmed: boolean;
  /** Whether a notice goes to somebody who still is an owner of the page; null for all others. */
  isOwner: boolean | null;
  suppressed: SuppressionReason | null;
  pageId: PageId;
  pageName: string;
  hostname: string;
  languages: string[];
  defaultLanguage: string;
  accent: string | null;
  /** Hash of the logo; null for none, and for an SVG, which mail programs do not show. */
  logoHash: string | null;
  logoAlone: boolean;
};

/**
 * Claims up to `limit` due emails, taking pages in turn, so that a page with many subscribers does not hold up the
 * others. The notices to the owners of a page come first, because they are few, then its confirmations, because a person
 * waits for each. An email whose lease has ended was claimed by an instance that died, and is due again.
 */
export async function claimEmails(
  { sql, clock }: Deps,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedEmail[]> {
  const now = clock.now();
  const free = sql`state = 'pending' and ${isUnclaimed(sql, 'claimed_until', { now, leaseMs })}`;
  const claimed = await sql<{ id: EmailId }[]>`
    with recursive waiting (page_id) as (
      (select page_id from emails where state = 'pending' order by page_id limit 1)
      union all
      select (select page_id from emails where state = 'pending' and page_id > w.page_id order by page_id limit 1)
      from waiting w where w.page_id is not null
    ), due as (
      select turn.id from waiting w join pages p on p.id = w.page_id and p.deleted_at is null cross join lateral (
        select id, next_attempt_at, row_number() over (order by kind desc, next_attempt_at) as place
        from emails
        where page_id = w.page_id and next_attempt_at <= ${new Date(now)} and ${free}
        order by kind desc, next_attempt_at limit ${limit}) turn
      order by turn.place, turn.next_attempt_at limit ${limit}
    )
    update emails set claimed_until = ${new Date(now + leaseMs)}, attempts = attempts + 1
    where id in (select id from due) and ${free}
    returning id`;
  const ids = claimed.map(({ id }) => id);
  return ids.length === 0 ? [] : loadClaimed(sql, ids);
}

function loadClaimed(sql: Sql, ids: EmailId[]): Promise<ClaimedEmail[]> {
  return sql<ClaimedEmail[]>`
    select e.id, e.kind, e.attempts, e.announcement_id as "announcementId", s.id as "subscriberId", e.notice,
      to_whom.email, coalesce(s.language, p.default_language) as language,
      s.confirmed_at is not null as confirmed, e.recipient = any (p.owner_emails) as "isOwner", u.reason as suppressed,
      p.id as "pageId", p.name as "pageName", p.hostname, p.languages, p.default_language as "defaultLanguage",
      p.accent, l.hash as "logoHash", p.logo_alone as "logoAlone"
    from emails e
      left join subscribers s on s.id = e.subscriber_id
      cross join lateral (select coalesce(e.recipient, s.email) as email) to_whom
      join pages p on p.id = e.page_id
      left join page_logos l on l.page_id = p.id and l.media_type <> 'image/svg+xml'
      left join suppressions u on u.page_id = e.page_id and u.email = to_whom.email
    where e.id = any (${ids}::uuid[])
    order by e.kind desc, e.next_attempt_at, e.id`;
}

/** Returns why a queued email must no longer be sent, or `undefined` when it may. */
export function refusalOf({ kind, confirmed, isOwner, suppressed }: ClaimedEmail): string | undefined {
  if (suppressed === 'bounced') return 'the address has bounced';
  // An owner who no longer subscribes to the page is still its owner.
  if (kind === 'notice') return isOwner ? undefined : 'the address is no longer an owner of the page';
  if (kind === 'confirmation') return confirmed ? 'the address has been confirmed already' : undefined;
  if (suppressed === 'unsubscribed') return 'the address has unsubscribed';
  return confirmed ? undefined : 'the address is not confirmed';
}

/** Parks emails: nothing more happens to them until an operator resends them. */
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

/** Parks up to `limit` pending emails, due or not. Returns whether there were any. */
export async function parkPending(
  { sql, clock }: Deps,
  { limit, reason }: { limit: number; reason: string },
): Promise<boolean> {
  const pending = await sql<{ id: EmailId }[]>`select id from emails where state = 'pending' limit ${limit}`;
  const ids = pending.map(({ id }) => id);
  if (ids.length > 0) await parkEmails({ sql, clock }, ids, reason);
  return ids.length > 0;
}

/** Starts the lifetime of the links in confirmations, which begins when they may first be read. */
export async function recordConfirmationsSent(
  { sql, clock }: Deps,
  ids: readonly SubscriberId[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update subscribers set confirmation_sent_at = ${new Date(clock.now())}
    where id = any (${[...ids]}::uuid[])`;
}

/** Records emails that the server has accepted. */
export async function recordDelivered({ sql, clock }: Deps, ids: readonly EmailId[]): Promise<void> {
  await sql`
    update emails set state = 'delivered', reason = null, claimed_until = null,
      finished_at = ${new Date(clock.now())}
    where id = any (${[...ids]}::uuid[]) and state = 'pending'`;
}

/**
 * Records a failed attempt. Suppresses an address that bounced; after any other failure the email is due again later,
 * or parked when this was the last attempt.
 */
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
  const nextAt = nextAttemptAt(dayOfAttempts, email.attempts, clock.now());
  if (nextAt === undefined) {
    await parkEmails({ sql, clock }, [email.id], reason);
    return 'parked';
  }
  await sql`
    update emails set claimed_until = null, next_attempt_at = ${new Date(nextAt)}, reason = ${reason}
    where id = ${email.id} and state = 'pending'`;
  return 'retried';
}

/** Releases the claims of emails that were not sent. The attempt does not count. */
export async function releaseEmails({ sql }: { sql: Sql }, ids: readonly EmailId[]): Promise<void> {
  await sql`
    update emails set claimed_until = null, attempts = attempts - 1
    where id = any (${[...ids]}::uuid[]) and state = 'pending'`;
}

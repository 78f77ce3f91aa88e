import type { EmailKind, SuppressionReason } from '../../../contract/subscribers.js';
import type { Clock } from '../../../lib/clock.js';
import type { AnnouncementId, EmailId, PageId, SubscriberId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';

/** An email that this process alone may send until its lease is over. */
export type ClaimedEmail = {
  id: EmailId;
  kind: EmailKind;
  /** This attempt included. */
  attempts: number;
  announcementId: AnnouncementId | null;
  subscriberId: SubscriberId;
  email: string;
  language: string;
  confirmed: boolean;
  suppressed: SuppressionReason | null;
  pageId: PageId;
  pageName: string;
  hostname: string;
  defaultLanguage: string;
};

/**
 * Claims up to `limit` emails that are due, pages in turn, so that one with many subscribers does not hold up the
 * others; of a page its confirmations first, because somebody waits for them. An email whose lease is over was
 * being sent by a process that is gone, and is due again.
 */
export async function claimEmails(
  { sql, clock }: { sql: Sql; clock: Clock },
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedEmail[]> {
  const now = new Date(clock.now());
  const free = sql`state = 'pending' and (claimed_until is null or claimed_until <= ${now})`;
  const claimed = await sql<{ id: EmailId }[]>`
    with recursive waiting (page_id) as (
      (select page_id from emails where state = 'pending' order by page_id limit 1)
      union all
      select (select page_id from emails where state = 'pending' and page_id > w.page_id order by page_id limit 1)
      from waiting w where w.page_id is not null
    ), due as (
      select turn.id from waiting w cross join lateral (
        select id, next_attempt_at, row_number() over (order by kind desc, next_attempt_at) as place
        from emails
        where page_id = w.page_id and next_attempt_at <= ${now} and ${free}
        order by kind desc, next_attempt_at limit ${limit}) turn
      order by turn.place, turn.next_attempt_at limit ${limit}
    )
    update emails set claimed_until = ${new Date(now.getTime() + leaseMs)}, attempts = attempts + 1
    where id in (select id from due) and ${free}
    returning id`;
  return claimed.length === 0
    ? []
    : readClaimed(
        sql,
        claimed.map(({ id }) => id),
      );
}

function readClaimed(sql: Sql, ids: EmailId[]): Promise<ClaimedEmail[]> {
  return sql<ClaimedEmail[]>`
    select e.id, e.kind, e.attempts, e.announcement_id as "announcementId", s.id as "subscriberId", s.email,
      s.language, s.confirmed_at is not null as confirmed, u.reason as suppressed,
      p.id as "pageId", p.name as "pageName", p.hostname, p.default_language as "defaultLanguage"
    from emails e
      join subscribers s on s.id = e.subscriber_id
      join pages p on p.id = e.page_id
      left join suppressions u on u.page_id = s.page_id and u.email = s.email
    where e.id = any (${ids}::uuid[])
    order by e.kind desc, e.next_attempt_at, e.id`;
}

/** Why the email must not be sent, although it was to be when it was queued; undefined when it may. */
export function refusalOf({ kind, confirmed, suppressed }: ClaimedEmail): string | undefined {
  if (suppressed === 'bounced') return 'the address has bounced';
  if (kind === 'confirmation') return confirmed ? 'the address has been confirmed already' : undefined;
  if (suppressed === 'unsubscribed') return 'the address has unsubscribed';
  return confirmed ? undefined : 'the address is not confirmed';
}

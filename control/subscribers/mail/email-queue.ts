import type { EmailKind, SuppressionReason } from '../../../contract/subscribers.js';
import { dayOfAttempts } from '../../../lib/back-off.js';
import type { AnnouncementId, EmailId, PageId, SubscriberId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import type { Fragment, Sql } from '../../../sql/open-postgres.js';
import type { Claim, Queue } from '../../delivery/index.js';
import type { OwnerNotice } from '../queue-owner-notice.js';
import { smtpConnections } from './smtp.js';

export const emailTable = { table: 'emails' };
export const batchSize = 5 * smtpConnections;

/** The emails of pages. None waits for another one. */
export function emailQueue(sendTimeoutMs: number): Queue {
  return {
    ...{ ...emailTable, schedule: dayOfAttempts, selectHeads, selectClaimed },
    leaseMs: (batchSize / smtpConnections) * sendTimeoutMs + minuteMs,
  };
}

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
 * Pages take turns, so that a page with many subscribers does not hold up the others. The notices to the owners of a page
 * come first, because they are few, then its confirmations, because a person waits for each.
 */
function selectHeads({ sql, room, isDue }: Claim): Fragment {
  return sql`
    waiting (page_id) as (
      (select page_id from emails where state = 'pending' order by page_id limit 1)
      union all
      select (select page_id from emails where state = 'pending' and page_id > w.page_id order by page_id limit 1)
      from waiting w where w.page_id is not null
    ), head as (
      select e.id, w.page_id, '' as key, e.next_attempt_at, e.turn, 0 as seq
      from waiting w join pages p on p.id = w.page_id and p.deleted_at is null cross join lateral (
        select id, next_attempt_at, row_number() over (order by kind desc, next_attempt_at) as turn
        from emails
        where page_id = w.page_id and ${isDue('emails')}
        order by kind desc, next_attempt_at limit ${room.free}) e
    )`;
}

function selectClaimed(sql: Sql): Fragment {
  return sql`
    select e.id, e.kind, e.attempts, e.announcement_id as "announcementId", s.id as "subscriberId", e.notice,
      to_whom.email, coalesce(s.language, p.default_language) as language,
      s.confirmed_at is not null as confirmed, e.recipient = any (p.owner_emails) as "isOwner", u.reason as suppressed,
      p.id as "pageId", p.name as "pageName", p.hostname, p.languages, p.default_language as "defaultLanguage",
      p.accent, l.hash as "logoHash", p.logo_alone as "logoAlone"
    from claimed e
      left join subscribers s on s.id = e.subscriber_id
      cross join lateral (select coalesce(e.recipient, s.email) as email) to_whom
      join pages p on p.id = e.page_id
      left join page_logos l on l.page_id = p.id and l.media_type <> 'image/svg+xml'
      left join suppressions u on u.page_id = e.page_id and u.email = to_whom.email
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

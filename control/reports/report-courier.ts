import type { Report } from '../../contract/manage/reports.js';
import type { SuppressionReason } from '../../contract/subscribers.js';
import { dayOfAttempts } from '../../lib/back-off.js';
import type { EmailId, PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { Claim, Courier, Outcome } from '../delivery/index.js';
import { createMailCourier, type MailDeps, suppress } from '../subscribers/index.js';
import { composeReport, type ReportEmail } from './compose-report.js';

type Deps = MailDeps & {
  /** Returns where the pages of a host are reached, such as `https://status.example.com`. */
  originOf: (hostname: string) => string;
  /** Returns where people who run the page read the report. */
  reportUrlOf: (report: Report) => string;
};

/** An email that this instance alone may send until its lease ends. */
type ClaimedReport = ReportEmail & {
  id: EmailId;
  attempts: number;
  pageId: PageId;
  /** Whether a person still has a role on the page, or a subscriber is still confirmed. */
  isWanted: boolean;
  suppressed: SuppressionReason | null;
};

const lanes = 2;
const batchSize = 10;

/** Returns the courier of reports, which sends a few at once: alerts and incidents use the same mail server. */
export function createReportCourier(deps: Deps): Courier<ClaimedReport, Outcome & { bounced: boolean }> {
  const { smtp, clock, log } = deps;
  return createMailCourier<ClaimedReport>(deps, {
    queue: {
      ...{ table: 'report_emails', schedule: dayOfAttempts, selectHeads, selectClaimed },
      leaseMs: (batchSize / lanes) * deps.sendTimeoutMs + minuteMs,
    },
    ...{ lanes, batchSize },
    open: async () => (email) => () => {
      const refused = refusalOf(email);
      if (refused !== undefined) return { refused };
      return composeReport({ ...deps, from: smtp.from, now: clock.now() }, email);
    },
    onBounce: suppress,
    logFailures(failures) {
      log.warn({ count: failures.length, outcome: failures.at(-1)?.outcome }, 'Reports were not delivered.');
    },
  });
}

/** Returns why a report must no longer be sent, or `undefined` when it may. */
function refusalOf({ suppressed, subscriberId, isWanted }: ClaimedReport): string | undefined {
  if (suppressed === 'bounced') return 'the address has bounced';
  // People who run a page may have ended a subscription to it.
  if (suppressed === 'unsubscribed' && subscriberId !== null) return 'the address has unsubscribed';
  return isWanted ? undefined : 'the person has no role on the page any more';
}

/** Pages take turns, so that one with many subscribers does not hold up the others. */
function selectHeads({ sql, room, isDue }: Claim): Fragment {
  return sql`
    waiting (page_id) as (
      (select page_id from report_emails where state = 'pending' order by page_id limit 1)
      union all
      select (select page_id from report_emails where state = 'pending' and page_id > w.page_id
        order by page_id limit 1)
      from waiting w where w.page_id is not null
    ), head as (
      select e.id, w.page_id, '' as key, e.next_attempt_at, e.turn, 0 as seq
      from waiting w join pages p on p.id = w.page_id and p.deleted_at is null cross join lateral (
        select id, next_attempt_at, row_number() over (order by next_attempt_at) as turn
        from report_emails
        where page_id = w.page_id and ${isDue('report_emails')}
        order by next_attempt_at limit ${room.free}) e
    )`;
}

function selectClaimed(sql: Sql): Fragment {
  return sql`
    select e.id, e.attempts, e.recipient as email, e.subscriber_id as "subscriberId",
      coalesce(u.language, s.language, p.default_language) as language, x.reason as suppressed,
      case when e.user_id is null then s.confirmed_at is not null
        else exists (select 1 from page_roles r where r.page_id = p.id and r.user_id = u.id and u.disabled_at is null)
      end as "isWanted",
      case when e.user_id is null then r.public_content else r.content end as content,
      p.id as "pageId", p.name as "pageName", p.hostname, p.languages, p.default_language as "defaultLanguage",
      p.accent, l.hash as "logoHash", p.logo_alone as "logoAlone"
    from claimed e
      join reports r on r.id = e.report_id
      join pages p on p.id = e.page_id
      left join users u on u.id = e.user_id
      left join subscribers s on s.id = e.subscriber_id
      left join page_logos l on l.page_id = p.id and l.media_type <> 'image/svg+xml'
      left join suppressions x on x.page_id = e.page_id and x.email = e.recipient
    order by e.next_attempt_at, e.id`;
}

/**
 * Deletes the emails that ended before `before`, but not the reports, which a page never sends twice. Returns how many emails
 * were deleted.
 */
export async function pruneReportEmails(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from report_emails where id in (
        select id from report_emails where created_at < ${before} and finished_at < ${before} limit ${chunkRows})`;
    return count;
  });
}

import type { ReportSchedule } from '../../contract/manage/report-settings.js';
import type { Report } from '../../contract/manage/reports.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type ReportId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { lastDue, type ReportPeriod } from './periods.js';

/** A report that a page has not sent yet. `dueAt` and the ends of the period are in milliseconds since the epoch. */
export type DueReport = { pageId: PageId; every: ReportSchedule; period: ReportPeriod & { dueAt: number } };

/** Lists the reports that are due and not sent, of all pages. One that was missed, because nothing ran, is not made up for. */
export async function listDueReports(sql: Sql, now: number): Promise<DueReport[]> {
  const rows = await sql<{ pageId: PageId; every: ReportSchedule; timeZone: string; covered: string }[]>`
    select s.page_id as "pageId", s.every, p.time_zone as "timeZone", s.covered
    from report_settings s join pages p on p.id = s.page_id and p.deleted_at is null
    where s.every is not null order by s.page_id`;
  // Many pages share a zone, and asking for the calendar takes longer than the rest.
  const known = new Map<string, DueReport['period']>();
  return rows.flatMap(({ pageId, every, timeZone, covered }) => {
    const key = `${every} ${timeZone}`;
    const period = known.get(key) ?? lastDue(now, { every, timeZone });
    known.set(key, period);
    return period.firstDay > covered ? [{ pageId, every, period }] : [];
  });
}

/**
 * Queues a report for its recipients, in one transaction with the note that the page has sent it: two instances, and one that
 * crashed and runs again, queue it once. Returns whether this call did.
 */
export async function queueReport(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, every, period: { firstDay } }: DueReport,
  report: Report,
): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const [settings] = await tx<{ every: string | null; covered: string; toSubscribers: boolean }[]>`
      select every, covered, to_subscribers as "toSubscribers" from report_settings where page_id = ${pageId} for update`;
    if (settings === undefined || settings.every !== every || settings.covered >= firstDay) return false;
    const now = new Date(clock.now());
    await tx`update report_settings set covered = ${firstDay} where page_id = ${pageId}`;
    const id = newId<ReportId>(now.getTime());
    const { count } = await tx`
      insert into reports (id, page_id, every, first_day, content, public_content, created_at)
      values (${id}, ${pageId}, ${every}, ${firstDay}, ${tx.json(report)}, ${tx.json(publicPart(report))}, ${now})
      on conflict (page_id, every, first_day) do nothing`;
    // It was sent before the page turned reports off and on again.
    if (count === 0) return false;
    await queueForPeople(tx, { id, pageId, now });
    if (settings.toSubscribers) await queueForSubscribers(tx, { id, pageId, now });
    return true;
  });
}

type Queued = { id: ReportId; pageId: PageId; now: Date };

async function queueForPeople(tx: Transaction, { id, pageId, now }: Queued): Promise<void> {
  await tx`
    insert into report_emails (id, page_id, report_id, user_id, recipient, next_attempt_at, created_at)
    select gen_random_uuid(), ${pageId}, ${id}, u.id, u.email, ${now}, ${now}
    from report_recipients t join users u on u.id = t.user_id and u.disabled_at is null
      join page_roles r on r.page_id = t.page_id and r.user_id = t.user_id
    where t.page_id = ${pageId}`;
}

/** One statement, because a crash between two would leave some out. People who get the whole report get no second one. */
async function queueForSubscribers(tx: Transaction, { id, pageId, now }: Queued): Promise<void> {
  await tx`
    insert into report_emails (id, page_id, report_id, subscriber_id, recipient, next_attempt_at, created_at)
    select gen_random_uuid(), ${pageId}, ${id}, s.id, s.email, ${now}, ${now}
    from subscribers s
    where s.page_id = ${pageId} and s.email is not null and s.confirmed_at is not null
      and not exists (select 1 from suppressions u where u.page_id = s.page_id and u.email = s.email)
    on conflict on constraint report_emails_once do nothing`;
}

/** Returns what of a report the status page shows as well. Whether an objective is met is said of public ones alone. */
export function publicPart(report: Report): Report {
  const objectives = report.objectives.filter(({ isPublic }) => isPublic);
  const isShown = (slug: string) => objectives.some((one) => one.slug === slug);
  return {
    ...report,
    services: report.services
      .filter(({ isPublic }) => isPublic)
      .map(({ objective, ...service }) => ({
        ...service,
        objective: objective !== null && isShown(objective.slug) ? objective : null,
      })),
    ...{ objectives, alerts: null, requests: null, endpoints: [] },
    incidents: report.incidents.map((incident) => ({ ...incident, monitorSlugs: [] })),
  };
}

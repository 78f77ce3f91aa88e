import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** How many subscribers of a page an announcement would reach now, by the language in which they read it. */
export async function countRecipients(
  { sql }: { sql: Sql },
  pageId: PageId,
): Promise<Readonly<Record<string, number>>> {
  const rows = await sql<{ language: string; count: number }[]>`
    select s.language, count(*)::integer as count from subscribers s
    where s.page_id = ${pageId} and s.email is not null and s.confirmed_at is not null
      and not exists (select 1 from suppressions u where u.page_id = s.page_id and u.email = s.email)
    group by s.language order by count desc, s.language`;
  return Object.fromEntries(rows.map(({ language, count }) => [language, count]));
}

/** Whether anybody has confirmed a subscription to a page, and how many emails of the page have not been sent. */
export async function loadMailStanding(
  { sql }: { sql: Sql },
  pageId: PageId,
): Promise<{ hasSubscriber: boolean; waiting: number }> {
  const [row] = await sql<{ hasSubscriber: boolean; waiting: number }[]>`
    select
      exists (select 1 from subscribers where page_id = ${pageId} and confirmed_at is not null) as "hasSubscriber",
      (select count(*)::integer from emails where page_id = ${pageId} and state = 'pending') as waiting`;
  return row ?? { hasSubscriber: false, waiting: 0 };
}

/** Emails of a page that wait, and since when the oldest does. */
export type LateEmails = { pageId: PageId; waiting: number; oldestAt: Date };

/** The pages of these that have an email waiting since before a time. */
export async function listLateEmails(
  sql: Sql,
  { pageIds, before }: { pageIds: readonly PageId[]; before: Date },
): Promise<LateEmails[]> {
  return sql<LateEmails[]>`
    select page_id as "pageId", count(*)::integer as waiting, min(created_at) as "oldestAt" from emails
    where page_id = any (${[...pageIds]}::uuid[]) and state = 'pending'
    group by page_id having min(created_at) < ${before} order by page_id`;
}

/** Counts the emails that announce an incident and its changes, by state. Emails are kept for 30 days. */
export async function countIncidentEmails(
  { sql }: { sql: Sql },
  { pageId, incidentId }: { pageId: PageId; incidentId: IncidentId },
): Promise<{ pending: number; delivered: number; parked: number }> {
  const rows = await sql<{ state: 'pending' | 'delivered' | 'parked'; count: number }[]>`
    select e.state, count(*)::int as count
    from announcements a join emails e on e.announcement_id = a.id
    where a.incident_id = ${incidentId} and a.page_id = ${pageId} and e.page_id = ${pageId}
    group by e.state`;
  return {
    pending: 0,
    delivered: 0,
    parked: 0,
    ...Object.fromEntries(rows.map((row) => [row.state, row.count])),
  };
}

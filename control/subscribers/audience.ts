import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** How many subscribers of a page an announcement would reach now, by the language in which they read it. */
export async function countRecipients(
  { sql }: { sql: Sql },
  pageId: PageId,
): Promise<Readonly<Record<string, number>>> {
  const rows = await sql<{ language: string; count: number }[]>`
    select s.language, count(*)::integer as count from subscribers s
    where s.page_id = ${pageId} and s.confirmed_at is not null
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

import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';

/**
 * The groups of a page that have monitors, in its order: the name in the given language where there is one, else in the
 * default language, and the slugs of the monitors in order.
 */
export async function loadServiceGroups(
  { sql }: { sql: Sql },
  { pageId, language }: { pageId: PageId; language: string },
): Promise<{ name: string; services: string[] }[]> {
  const rows = await sql<{ name: string; services: string[] }[]>`
    select coalesce(g.names ->> ${language}, g.name) as name, array_agg(m.slug order by m.position, m.slug) as services
    from monitor_groups g join monitors m on m.group_id = g.id
    where g.page_id = ${pageId} group by g.id order by g.position, g.slug`;
  return [...rows];
}

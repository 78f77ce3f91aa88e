import type { ServiceGroup } from '../../../contract/public/status-page.js';
import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';

/** The groups of a page that have services which are not hidden, in its order, as are their services. */
export async function loadServiceGroups({ sql }: { sql: Sql }, pageId: PageId): Promise<ServiceGroup[]> {
  const rows = await sql<(Omit<ServiceGroup, 'createdAt'> & { createdAt: Date })[]>`
    select g.id, g.created_at as "createdAt", g.slug, g.name, g.names, g.collapsed, array_agg(m.slug order by m.position, m.slug) as services
    from monitor_groups g join monitors m on m.group_id = g.id
    where g.page_id = ${pageId} and not m.hidden group by g.id order by g.position, g.slug`;
  return rows.map(({ createdAt, ...group }) => ({ ...group, createdAt: createdAt.toISOString() }));
}

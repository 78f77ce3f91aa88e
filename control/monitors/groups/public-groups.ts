import type { ServiceGroup } from '../../../contract/public/status-page.js';
import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';

/** Loads the groups of a page that have services which are not hidden, in its order, as are their services. */
export async function loadServiceGroups({ sql }: { sql: Sql }, pageId: PageId): Promise<ServiceGroup[]> {
  const rows = await sql<(Omit<ServiceGroup, 'createdAt'> & { createdAt: Date })[]>`
    select g.id, g.created_at as "createdAt", g.slug, g.name, g.names, g.collapsed, array_agg(m.slug order by m.position, m.slug) as services
    from monitor_groups g join monitors m on m.group_id = g.id
    where g.page_id = ${pageId} and not m.hidden group by g.id order by g.position, g.slug`;
  return rows.map(({ createdAt, ...group }) => ({ ...group, createdAt: createdAt.toISOString() }));
}

/** A service that readers see, and its group. Names are in one language, else in the default language of the page. */
export type ChoosableService = {
  slug: string;
  name: string;
  /** null for a service in front of the groups. */
  group: { slug: string; name: string } | null;
};

/** Lists the services of a page that readers see, in its order. */
export async function listChoosable(
  { sql }: { sql: Sql },
  pageId: PageId,
  language: string,
): Promise<ChoosableService[]> {
  return sql<ChoosableService[]>`
    select m.slug, coalesce(m.names ->> ${language}, m.name) as name,
      case when g.id is not null then
        json_build_object('slug', g.slug, 'name', coalesce(g.names ->> ${language}, g.name)) end as group
    from monitors m left join monitor_groups g on g.id = m.group_id
    where m.page_id = ${pageId} and not m.hidden
    order by g.position nulls first, g.slug nulls first, m.position, m.slug`;
}

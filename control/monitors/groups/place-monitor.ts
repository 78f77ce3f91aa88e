import type { MonitorGroupId, MonitorId, PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { Transaction } from '../../../sql/open-postgres.js';

type Placed = { id: MonitorId; pageId: PageId };

/**
 * Puts a monitor at the end of a group, or at the end of those without one. The page and its monitors must be
 * locked; see lockMonitorsOf().
 *
 * @throws ServiceError `invalidBody` when the page has no such group.
 */
export async function placeMonitor(
  tx: Transaction,
  { id, pageId }: Placed,
  group: string | null,
): Promise<void> {
  const groupId = group === null ? null : await groupIdOf(tx, pageId, group);
  await tx`
    update monitors set group_id = ${groupId},
      position = (select max(position) + 1 from monitors where page_id = ${pageId})
    where id = ${id}`;
  await numberMonitors(tx, pageId);
}

async function groupIdOf(tx: Transaction, pageId: PageId, slug: string): Promise<MonitorGroupId> {
  const [group] = await tx<{ id: MonitorGroupId }[]>`
    select id from monitor_groups where page_id = ${pageId} and slug = ${slug}`;
  if (group !== undefined) return group.id;
  throw new ServiceError('invalidBody', {
    field: '/group',
    message: `The page has no group with the slug "${slug}".`,
  });
}

/**
 * Locks the monitors of a page in the order of ids, as every statement that locks several monitors does, so that none
 * deadlock. The page must be locked.
 */
export async function lockMonitorsOf(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from monitors where page_id = ${pageId} order by id for no key update`;
}

/**
 * Numbers the monitors of a page, so that their positions alone are its order: those without a group first, then those
 * of each group. Within a group they keep the order of their positions. The page and its
 * monitors must be locked; see lockMonitorsOf().
 */
export async function numberMonitors(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`
    update monitors m set position = ordered.position
    from (
      select m.id, row_number() over (order by coalesce(g.position, -1), m.position, m.slug) - 1 as position
      from monitors m left join monitor_groups g on g.id = m.group_id
      where m.page_id = ${pageId}) as ordered
    where m.id = ordered.id and m.position <> ordered.position`;
}

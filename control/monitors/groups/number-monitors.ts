import type { PageId } from '../../../lib/ids.js';
import type { Transaction } from '../../../sql/open-postgres.js';

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

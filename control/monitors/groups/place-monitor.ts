import type { MonitorGroupId, MonitorId, PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { Transaction } from '../../../sql/open-postgres.js';
import { numberMonitors } from './number-monitors.js';

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
  throw new ServiceError('invalidBody', { message: `The page has no group with the slug "${slug}".` });
}

import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { firstDueAt } from './monitor.js';

/** Stops the checks of all monitors of a page. The caller has locked the page, and it was not paused. */
export async function pausePageMonitors(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await lockMonitors(tx, pageId);
  await tx`update monitors set next_due_at = null, claimed_until = null where page_id = ${pageId}`;
  await tx`insert into pauses (page_id, from_at) values (${pageId}, ${new Date(now)})`;
}

/** Lets the checks go on, but for monitors that are paused themselves. The caller has locked the page. */
export async function resumePageMonitors(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  const monitors = await lockMonitors(tx, pageId);
  const due = monitors.map(({ id, every_seconds }) => ({
    id,
    at: firstDueAt(now, every_seconds).toISOString(),
  }));
  await tx`
    update monitors m set next_due_at = due.at, resumed_at = ${new Date(now)}, failures = 0
    from jsonb_to_recordset(${tx.json(due)}) as due (id uuid, at timestamptz)
    where m.id = due.id and m.paused_at is null`;
  await tx`
    update pauses set to_at = greatest(from_at, ${new Date(now)})
    where page_id = ${pageId} and monitor_id is null and to_at is null`;
}

/** In the order in which all who lock several do, so that none waits for another in a circle. */
function lockMonitors(tx: Transaction, pageId: PageId): Promise<{ id: string; every_seconds: number }[]> {
  return tx<{ id: string; every_seconds: number }[]>`
    select id, every_seconds from monitors where page_id = ${pageId} order by id for update`;
}

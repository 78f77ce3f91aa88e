import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { firstDueAt, lockMonitor, type Monitor, type MonitorRef, selectMonitors } from './monitor.js';

/**
 * Lets the checks of a paused monitor go on, unless its page is paused as well: then they do with the page's.
 * Failures from before the pause no longer count. Nothing changes when it is not paused.
 *
 * @throws ControlError when there is no such monitor.
 */
export async function resumeMonitor(
  { sql, clock }: { sql: Sql; clock: Clock },
  ref: MonitorRef,
): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor, pagePaused } = await lockMonitor(tx, ref);
    if (monitor.pausedAt === null) return monitor;
    const now = clock.now();
    await tx`
      update monitors set paused_at = null, resumed_at = ${new Date(now)}, failures = 0,
        next_due_at = ${pagePaused ? null : firstDueAt(now, monitor.everySeconds)}
      where id = ${monitor.id}`;
    await tx`
      update pauses set to_at = greatest(from_at, ${new Date(now)})
      where page_id = ${monitor.pageId} and monitor_id = ${monitor.id} and to_at is null`;
    const [resumed = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
    return resumed;
  });
}

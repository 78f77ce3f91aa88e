import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { lockMonitor, type Monitor, type MonitorRef, selectMonitors } from './monitor.js';

/**
 * Stops the checks of a monitor; the time until it is resumed counts as not observed. Nothing changes when it is
 * paused already.
 *
 * @throws ControlError when there is no such monitor.
 */
export async function pauseMonitor(
  { sql, clock }: { sql: Sql; clock: Clock },
  ref: MonitorRef,
): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    if (monitor.pausedAt !== null) return monitor;
    const now = new Date(clock.now());
    await tx`
      update monitors set paused_at = ${now}, next_due_at = null, claimed_until = null where id = ${monitor.id}`;
    await tx`
      insert into pauses (page_id, monitor_id, from_at) values (${monitor.pageId}, ${monitor.id}, ${now})`;
    const [paused = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
    return paused;
  });
}

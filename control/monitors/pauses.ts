import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import type { CheckMonitor } from './change-monitor.js';
import { endOutage } from './end-outages.js';
import { firstDueAt, lockMonitor, type Monitor, type MonitorRef, selectMonitors } from './monitor.js';
import { recordMonitor } from './record-monitor.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Stops the checks of a monitor, and resolves the incident that it opened. The time until it is resumed counts as not observed. A paused monitor stays as it is.
 *
 * @throws ServiceError `notFound` when there is no such monitor, `conflict` for a service without checks; what `check`
 *   throws.
 */
export async function pauseMonitor(
  { sql, clock, by }: Deps,
  ref: MonitorRef,
  check?: CheckMonitor,
): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    check?.(monitor);
    if (monitor.kind === 'manual') {
      throw new ServiceError('conflict', {
        message: `The service "${monitor.slug}" has no checks that could be paused.`,
      });
    }
    if (monitor.pausedAt !== null) return monitor;
    const now = new Date(clock.now());
    await tx`
      update monitors set paused_at = ${now}, next_due_at = null, claimed_until = null where id = ${monitor.id}`;
    await tx`
      insert into pauses (page_id, monitor_id, from_at) values (${monitor.pageId}, ${monitor.id}, ${now})`;
    await endOutage(tx, { pageId: monitor.pageId, id: monitor.id, now: now.getTime() });
    const [paused = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
    await recordMonitor(tx, { by, now: now.getTime() }, { verb: 'pause', before: monitor, after: paused });
    return paused;
  });
}

/**
 * Resumes the checks of a paused monitor. While its page is paused too, the checks resume with the page. Failures from
 * before the pause no longer count. A monitor that is not paused stays as it is.
 *
 * @throws ServiceError `notFound` when there is no such monitor; what `check` throws.
 */
export async function resumeMonitor(
  { sql, clock, by }: Deps,
  ref: MonitorRef,
  check?: CheckMonitor,
): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor, pagePaused } = await lockMonitor(tx, ref);
    check?.(monitor);
    if (monitor.pausedAt === null) return monitor;
    const now = clock.now();
    await tx`
      update monitors set paused_at = null, resumed_at = ${new Date(now)}, failures = 0, failing_since = null,
        slow_checks = 0, degraded_since = null,
        next_due_at = ${pagePaused ? null : firstDueAt(now, monitor.everySeconds)}
      where id = ${monitor.id}`;
    await tx`
      update pauses set to_at = greatest(from_at, ${new Date(now)})
      where page_id = ${monitor.pageId} and monitor_id = ${monitor.id} and to_at is null`;
    const [resumed = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
    await recordMonitor(tx, { by, now }, { verb: 'resume', before: monitor, after: resumed });
    return resumed;
  });
}

/** Stops the checks of all monitors of a page. The caller has locked the page, which was not paused. */
export async function pausePageMonitors(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await lockMonitors(tx, pageId);
  await tx`update monitors set next_due_at = null, claimed_until = null where page_id = ${pageId}`;
  await tx`insert into pauses (page_id, from_at) values (${pageId}, ${new Date(now)})`;
}

/** Resumes the checks, except where a monitor is paused itself. The caller has locked the page. */
export async function resumePageMonitors(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  const monitors = await lockMonitors(tx, pageId);
  const due = monitors.map(({ id, every_seconds }) => ({
    id,
    at: firstDueAt(now, every_seconds).toISOString(),
  }));
  await tx`
    update monitors m set next_due_at = due.at, resumed_at = ${new Date(now)}, failures = 0, failing_since = null,
      slow_checks = 0, degraded_since = null
    from jsonb_to_recordset(${tx.json(due)}) as due (id uuid, at timestamptz)
    where m.id = due.id and m.paused_at is null and m.kind <> 'manual'`;
  await tx`
    update pauses set to_at = greatest(from_at, ${new Date(now)})
    where page_id = ${pageId} and monitor_id is null and to_at is null`;
}

/** Locks in the order of ids, as every statement that locks several monitors does, so that none deadlock. */
function lockMonitors(tx: Transaction, pageId: PageId): Promise<{ id: string; every_seconds: number }[]> {
  return tx<{ id: string; every_seconds: number }[]>`
    select id, every_seconds from monitors where page_id = ${pageId} order by id for update`;
}

import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { changeMonitorIn } from './change-monitor.js';
import { type CreateMonitorInput, createMonitorIn } from './create-monitor.js';
import { lockMonitorsOf } from './groups/place-monitor.js';
import { type Monitor, selectMonitors } from './monitor.js';
import { parseMonitorName } from './public-settings.js';

/** `token` belongs to a new heartbeat; see CreatedMonitor. */
export type PutMonitor = { monitor: Monitor; isNew: boolean; token?: string };

type Deps = { sql: Sql; clock: Clock; secretKey: string; by: Actor };

/**
 * Creates the monitor with this slug, or replaces its settings: those that are not given go back to their defaults, and
 * headers and body that are not given stay. The same settings again change nothing.
 *
 * @param check gets the monitor as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `conflict` when the monitor is of another kind, otherwise as createMonitor() and changeMonitor()
 *   do; what `check` throws.
 */
export async function putMonitor(
  deps: Deps,
  input: CreateMonitorInput,
  check?: (current: Monitor | undefined) => void,
): Promise<PutMonitor> {
  const { pageId, slug, kind } = input;
  parseMonitorName(input.name);
  return inTransaction(deps.sql, async (tx) => {
    // Every change of a monitor of the page waits for this lock.
    await tx`select 1 from pages where id = ${pageId} for no key update`;
    await lockMonitorsOf(tx, pageId);
    const [monitor] = await selectMonitors(tx, tx`m.page_id = ${pageId} and m.slug = ${slug}`);
    check?.(monitor);
    if (monitor === undefined) {
      const { monitor: created, token } = await createMonitorIn(tx, deps, input);
      return { monitor: created, isNew: true, ...(token !== undefined && { token }) };
    }
    if (monitor.kind !== kind) {
      throw new ServiceError('conflict', {
        message: `The monitor "${slug}" is of type ${monitor.kind}, which cannot change; delete it first.`,
      });
    }
    const changed = await changeMonitorIn(tx, deps, { monitor, settings: input, replaces: true });
    return { monitor: changed, isNew: false };
  });
}

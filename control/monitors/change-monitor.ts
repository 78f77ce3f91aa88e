import type { RequestSecrets } from '../../contract/monitors.js';
import type { Clock } from '../../lib/clock.js';
import type { MonitorId } from '../../lib/ids.js';
import { openSecret, sealSecret } from '../../lib/secret-box.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import {
  firstDueAt,
  lockMonitor,
  type Monitor,
  type MonitorRef,
  monitorSecretContext,
  selectMonitors,
} from './monitor.js';
import {
  checkMonitorName,
  checkSettingsOfKind,
  type MonitorSettings,
  parseMonitorNames,
  parseSecrets,
  parseTarget,
  parseTiming,
} from './monitor-settings.js';

type Deps = { sql: Sql; clock: Clock; secretKey: string };

/**
 * Changes the given settings of a monitor and returns the whole monitor. A check in flight with the old settings no
 * longer changes its state.
 *
 * @throws ServiceError `notFound` when there is no such monitor, `invalidBody` as createMonitor does.
 */
export async function changeMonitor(
  { sql, clock, secretKey }: Deps,
  ref: MonitorRef,
  settings: MonitorSettings,
): Promise<Monitor> {
  const { name } = settings;
  if (name !== undefined) checkMonitorName(name);
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    checkSettingsOfKind(monitor.kind, settings);
    const target = parseTarget(monitor.kind, settings, monitor);
    const timing = parseTiming(monitor.kind, settings, monitor);
    const [page] = await tx<{ languages: string[]; defaultLanguage: string }[]>`
      select languages, default_language as "defaultLanguage" from pages where id = ${monitor.pageId}`;
    const names = page && parseMonitorNames(page, settings.names ?? {}, monitor.names);
    const nextDueAt =
      monitor.nextDueAt !== null && timing.everySeconds !== monitor.everySeconds
        ? firstDueAt(clock.now(), timing.everySeconds)
        : monitor.nextDueAt;
    await tx`
      update monitors set name = ${name ?? monitor.name}, names = ${tx.json(names ?? monitor.names)},
        url = ${'url' in target ? target.url : null}, options = ${tx.json('options' in target ? target.options : {})},
        every_seconds = ${timing.everySeconds}, timeout_ms = ${timing.timeoutMs},
        failures_to_down = ${timing.failuresToDown}, next_due_at = ${nextDueAt}, claimed_until = null
      where id = ${monitor.id}`;
    if (settings.headers !== undefined || settings.body !== undefined) {
      await changeSecrets(tx, secretKey, monitor.id, settings);
    }
    const [changed = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
    return changed;
  });
}

async function changeSecrets(
  tx: Transaction,
  secretKey: string,
  id: MonitorId,
  settings: MonitorSettings,
): Promise<void> {
  const context = monitorSecretContext(id);
  const [row] = await tx<{ secrets: Buffer | null }[]>`select secrets from monitors where id = ${id}`;
  // Secrets that are replaced as a whole need not open: the key that they are sealed with may be lost.
  const isWhole = settings.headers !== undefined && settings.body !== undefined;
  const before = isWhole || !row?.secrets ? null : open(secretKey, context, row.secrets);
  const secrets = parseSecrets(settings, before);
  const sealed = secrets && sealSecret(secretKey, context, JSON.stringify(secrets));
  await tx`update monitors set secrets = ${sealed} where id = ${id}`;
}

function open(secretKey: string, context: string, sealed: Buffer): RequestSecrets {
  try {
    return JSON.parse(openSecret(secretKey, context, sealed));
  } catch {
    throw new ServiceError('conflict', {
      message: 'The headers and body were sealed with another HEARTLINE_SECRET_KEY; give both of them again.',
    });
  }
}

/**
 * Deletes a monitor, its pauses and its place in incidents, and returns it. Its checks stay in ClickHouse until they
 * expire, and appear nowhere.
 *
 * @throws ServiceError `notFound` when there is no such monitor.
 */
export async function deleteMonitor({ sql }: { sql: Sql }, ref: MonitorRef): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    await tx`delete from monitors where id = ${monitor.id}`;
    return monitor;
  });
}

import { monitorSecretContext, type RequestSecrets } from '../../contract/monitors.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { MonitorId } from '../../lib/ids.js';
import { openSecret, sealSecret } from '../../lib/secret-box.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { firstDueAt, lockMonitor, type Monitor, type MonitorRef, selectMonitors } from './monitor.js';
import { checkMonitorName, readMonitorNames } from './monitor-names.js';
import {
  checkSettingsOfKind,
  type MonitorSettings,
  readSecrets,
  readTarget,
  readTiming,
} from './monitor-settings.js';

type Deps = { sql: Sql; clock: Clock; secretKey: string };

/**
 * Changes what is given and nothing else; answers the whole monitor. A check that is under way with the old
 * settings no longer moves its state.
 *
 * @throws ControlError when there is no such monitor, or as createMonitor does.
 */
export async function setMonitor(
  { sql, clock, secretKey }: Deps,
  ref: MonitorRef,
  settings: MonitorSettings,
): Promise<Monitor> {
  const { name } = settings;
  if (name !== undefined) checkMonitorName(name);
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    checkSettingsOfKind(monitor.kind, settings);
    const target = readTarget(monitor.kind, settings, monitor);
    const timing = readTiming(monitor.kind, settings, monitor);
    const [page] = await tx<{ languages: string[]; defaultLanguage: string }[]>`
      select languages, default_language as "defaultLanguage" from pages where id = ${monitor.pageId}`;
    const names = page && readMonitorNames(page, settings.names ?? {}, monitor.names);
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
  // Secrets that are replaced as a whole need not be readable: they may be sealed with a key that is lost.
  const isWhole = settings.headers !== undefined && settings.body !== undefined;
  const before = isWhole || !row?.secrets ? null : open(secretKey, context, row.secrets);
  const secrets = readSecrets(settings, before);
  const sealed = secrets && sealSecret(secretKey, context, JSON.stringify(secrets));
  await tx`update monitors set secrets = ${sealed} where id = ${id}`;
}

function open(secretKey: string, context: string, sealed: Buffer): RequestSecrets {
  try {
    return JSON.parse(openSecret(secretKey, context, sealed));
  } catch {
    throw new ControlError(
      'The headers and body were sealed with another HEARTLINE_SECRET_KEY; give both of them anew.',
    );
  }
}

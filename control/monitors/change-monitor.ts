import { isDeepStrictEqual } from 'node:util';
import type { RequestSecrets } from '../../contract/monitors.js';
import type { Clock } from '../../lib/clock.js';
import type { MonitorId } from '../../lib/ids.js';
import { openSecret, sealSecret } from '../../lib/secret-box.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import {
  firstDueAt,
  lockMonitor,
  type Monitor,
  type MonitorRef,
  type MonitorTarget,
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
import { recordMonitor, settingsOf } from './record-monitor.js';

type Deps = { sql: Sql; clock: Clock; secretKey: string; by: Actor };

/** Gets a monitor as it is, in the transaction of a change, and may refuse the change by throwing. */
export type CheckMonitor = (current: Monitor) => void;

/**
 * Changes the given settings of a monitor and returns the whole monitor. A check in flight with the old settings no
 * longer changes its state.
 *
 * @throws ServiceError `notFound` when there is no such monitor, `invalidBody` as createMonitor does, `conflict` when
 *   only one of the headers and the body is given and the other one cannot be opened; what `check` throws.
 */
export async function changeMonitor(
  deps: Deps,
  ref: MonitorRef,
  settings: MonitorSettings,
  check?: CheckMonitor,
): Promise<Monitor> {
  if (settings.name !== undefined) checkMonitorName(settings.name);
  return inTransaction(deps.sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    check?.(monitor);
    return changeMonitorIn(tx, deps, { monitor, settings, replaces: false });
  });
}

type Change = {
  /** Locked, as its page is. */
  monitor: Monitor;
  settings: MonitorSettings;
  /** Settings that are not given go back to their defaults, except secrets. */
  replaces: boolean;
};

/** Changes a monitor in a transaction. A change that changes nothing writes nothing. */
export async function changeMonitorIn(
  tx: Transaction,
  { clock, secretKey, by }: Omit<Deps, 'sql'>,
  { monitor, settings, replaces }: Change,
): Promise<Monitor> {
  checkSettingsOfKind(monitor.kind, settings);
  const before = replaces ? undefined : monitor;
  const target = parseTarget(monitor.kind, settings, before);
  const timing = parseTiming(monitor.kind, settings, before);
  const names = await parseNames(tx, monitor, settings, replaces);
  const planned: Monitor = { ...monitor, name: settings.name ?? monitor.name, names, ...target, ...timing };
  if (by.type !== 'cli' && monitor.hasSecrets && isElsewhere(monitor, target))
    refuseKeptSecrets(await readSecrets(tx, secretKey, monitor.id), settings);
  const secretsChanged = await changeSecrets(tx, secretKey, monitor.id, settings);
  if (!secretsChanged && isDeepStrictEqual(settingsOf(monitor), settingsOf(planned))) return monitor;
  const now = clock.now();
  const nextDueAt =
    monitor.nextDueAt !== null && timing.everySeconds !== monitor.everySeconds
      ? firstDueAt(now, timing.everySeconds)
      : monitor.nextDueAt;
  await tx`
    update monitors set name = ${planned.name}, names = ${tx.json(names)},
      url = ${'url' in target ? target.url : null}, options = ${tx.json('options' in target ? target.options : {})},
      every_seconds = ${timing.everySeconds}, timeout_ms = ${timing.timeoutMs},
      failures_to_down = ${timing.failuresToDown}, next_due_at = ${nextDueAt}, claimed_until = null
    where id = ${monitor.id}`;
  const [changed = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
  await recordMonitor(
    tx,
    { by, now },
    { verb: 'update', before: monitor, after: changed, ...(secretsChanged && { secretsChanged }) },
  );
  return changed;
}

function isElsewhere(monitor: Monitor, target: MonitorTarget): boolean {
  const originOf = (one: MonitorTarget) => ('url' in one ? new URL(one.url).origin : '');
  return originOf(monitor) !== originOf(target);
}

/**
 * A caller who may change a monitor must not learn its headers by sending them to a server of their own. Operators at the
 * shell can read them anyway.
 *
 * @param stored `undefined` when they cannot be opened, so that any part may be there.
 * @throws ServiceError `invalidBody` unless the change says what each part that is stored becomes.
 */
function refuseKeptSecrets(
  stored: RequestSecrets | null | undefined,
  { headers, body }: Pick<MonitorSettings, 'headers' | 'body'>,
): void {
  const keepsHeaders = headers === undefined && (stored === undefined || (stored?.headers.length ?? 0) > 0);
  const keepsBody = body === undefined && (stored === undefined || (stored?.body ?? '') !== '');
  if (!keepsHeaders && !keepsBody) return;
  const missing = [...(keepsHeaders ? ['"headers"'] : []), ...(keepsBody ? ['"body"'] : [])].join(' and ');
  throw new ServiceError('invalidBody', {
    message: `The requests of this monitor carry headers or a body that are not sent to another server unasked. Send ${missing} with the new address; null drops them.`,
  });
}

async function parseNames(
  tx: Transaction,
  { pageId, names: before }: Monitor,
  { names }: MonitorSettings,
  replaces: boolean,
): Promise<Record<string, string>> {
  const [page] = await tx<{ languages: string[]; defaultLanguage: string }[]>`
    select languages, default_language as "defaultLanguage" from pages where id = ${pageId}`;
  if (page === undefined) return before;
  return parseMonitorNames(page, names ?? {}, replaces || names === null ? {} : before);
}

/** Returns whether the secrets are others now. */
async function changeSecrets(
  tx: Transaction,
  secretKey: string,
  id: MonitorId,
  settings: MonitorSettings,
): Promise<boolean> {
  if (settings.headers === undefined && settings.body === undefined) return false;
  const stored = await readSecrets(tx, secretKey, id);
  // Secrets that are replaced as a whole need not open: the key that they are sealed with may be lost.
  if (stored === undefined && (settings.headers === undefined || settings.body === undefined)) {
    throw new ServiceError('conflict', {
      message: 'The headers and body were sealed with another HEARTLINE_SECRET_KEY; give both of them again.',
    });
  }
  const secrets = parseSecrets(settings, stored ?? null);
  if (isDeepStrictEqual(secrets, stored)) return false;
  const sealed = secrets && sealSecret(secretKey, monitorSecretContext(id), JSON.stringify(secrets));
  await tx`update monitors set secrets = ${sealed} where id = ${id}`;
  return true;
}

/** Returns `undefined` for secrets that were sealed with another key. */
async function readSecrets(
  tx: Transaction,
  secretKey: string,
  id: MonitorId,
): Promise<RequestSecrets | null | undefined> {
  const [row] = await tx<{ secrets: Buffer | null }[]>`select secrets from monitors where id = ${id}`;
  if (!row?.secrets) return null;
  try {
    return JSON.parse(openSecret(secretKey, monitorSecretContext(id), row.secrets));
  } catch {
    return undefined;
  }
}

/**
 * Deletes a monitor, its pauses and its place in incidents, and returns it. Its checks stay in ClickHouse until they
 * expire, and appear nowhere.
 *
 * @throws ServiceError `notFound` when there is no such monitor; what `check` throws.
 */
export async function deleteMonitor(
  { sql, clock, by }: Omit<Deps, 'secretKey'>,
  ref: MonitorRef,
  check?: CheckMonitor,
): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    check?.(monitor);
    await tx`delete from monitors where id = ${monitor.id}`;
    await recordMonitor(tx, { by, now: clock.now() }, { verb: 'delete', before: monitor, after: null });
    return monitor;
  });
}

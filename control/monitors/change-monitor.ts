import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../lib/clock.js';
import type { MonitorId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import type { Actor } from '../audit/index.js';
import { parseDependsOn } from './dependencies.js';
import { endOutage, hideNameInIncidents } from './end-outages.js';
import { placeMonitor } from './groups/place-monitor.js';
import { firstDueAt, lockMonitor, type Monitor, type MonitorRef, selectMonitors } from './monitor.js';
import { checkSettingsOfKind, type MonitorSettings, parseTarget, parseTiming } from './monitor-settings.js';
import {
  type PublicSettings,
  parseMonitorName,
  parseMonitorNames,
  parsePublicSettings,
} from './public-settings.js';
import { recordMonitor, settingsOf } from './record-monitor.js';
import { mergeSecrets, refuseKeptSecretsElsewhere } from './request-secrets.js';

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
  if (settings.name !== undefined) parseMonitorName(settings.name);
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
  const shown = await parseShown(tx, monitor, settings, replaces);
  const name = settings.name === undefined ? monitor.name : parseMonitorName(settings.name);
  const { group = replaces ? null : monitor.group } = settings;
  const dependsOn = await dependsOnOf(tx, monitor, settings, replaces);
  const planned: Monitor = { ...monitor, name, ...shown, group, dependsOn, ...target, ...timing };
  if (by.type !== 'cli') await refuseKeptSecretsElsewhere(tx, { secretKey, monitor, target, settings });
  const secretsChanged = await changeSecrets(tx, secretKey, monitor.id, settings);
  if (!secretsChanged && isDeepStrictEqual(settingsOf(monitor), settingsOf(planned))) return monitor;
  const now = clock.now();
  const nextDueAt =
    monitor.nextDueAt !== null && timing.everySeconds !== monitor.everySeconds
      ? firstDueAt(now, timing.everySeconds)
      : monitor.nextDueAt;
  // A check that was slow by another limit says nothing about this one.
  const isSameLimit = timing.degradedOverMs === monitor.degradedOverMs;
  await tx`
    update monitors set name = ${planned.name}, names = ${tx.json(shown.names)},
      url = ${'url' in target ? target.url : null}, options = ${tx.json('options' in target ? target.options : {})},
      every_seconds = ${timing.everySeconds}, timeout_ms = ${timing.timeoutMs},
      failures_to_down = ${timing.failuresToDown}, degraded_over_ms = ${timing.degradedOverMs},
      slow_checks = ${isSameLimit ? tx`slow_checks` : 0},
      degraded_since = ${isSameLimit ? tx`degraded_since` : null},
      hidden = ${shown.hidden}, description = ${shown.description}, descriptions = ${tx.json(shown.descriptions)},
      link = ${shown.link}, depends_on = ${[...dependsOn]}, next_due_at = ${nextDueAt}, claimed_until = null
    where id = ${monitor.id}`;
  if (group !== monitor.group) await placeMonitor(tx, monitor, group);
  if (shown.hidden && !monitor.hidden) {
    await hideNameInIncidents(tx, { pageId: monitor.pageId, id: monitor.id, now });
    await endOutage(tx, { pageId: monitor.pageId, id: monitor.id, now });
  }
  const [changed = monitor] = await selectMonitors(tx, tx`m.id = ${monitor.id}`);
  await recordMonitor(
    tx,
    { by, now },
    { verb: 'update', before: monitor, after: changed, ...(secretsChanged && { secretsChanged }) },
  );
  return changed;
}

async function parseShown(
  tx: Transaction,
  monitor: Monitor,
  settings: MonitorSettings,
  replaces: boolean,
): Promise<Pick<Monitor, 'names'> & PublicSettings> {
  const { pageId, names: before } = monitor;
  const { names } = settings;
  const [page] = await tx<{ languages: string[]; defaultLanguage: string }[]>`
    select languages, default_language as "defaultLanguage" from pages where id = ${pageId}`;
  if (page === undefined) return monitor;
  return {
    names: parseMonitorNames(page, names ?? {}, replaces || names === null ? {} : before),
    ...parsePublicSettings(page, settings, replaces ? undefined : monitor),
  };
}

async function dependsOnOf(
  tx: Transaction,
  monitor: Monitor,
  { dependsOn }: MonitorSettings,
  replaces: boolean,
): Promise<readonly string[]> {
  if (dependsOn === undefined) return replaces ? [] : monitor.dependsOn;
  return parseDependsOn(tx, monitor, dependsOn);
}

/** Returns whether the secrets are others now. */
async function changeSecrets(
  tx: Transaction,
  secretKey: string,
  id: MonitorId,
  settings: MonitorSettings,
): Promise<boolean> {
  if (settings.headers === undefined && settings.body === undefined) return false;
  const { stored, secrets } = await mergeSecrets(tx, secretKey, id, settings);
  if (isDeepStrictEqual(secrets, stored)) return false;
  const sealed = secrets && sealColumn(secretKey, 'monitor', id, JSON.stringify(secrets));
  await tx`update monitors set secrets = ${sealed} where id = ${id}`;
  return true;
}

/**
 * Deletes a monitor, its pauses and its place in incidents, takes it out of those that depend on it, resolves the incident that it opened, and returns it. Its checks stay in ClickHouse until they
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
    const now = clock.now();
    await endOutage(tx, { pageId: monitor.pageId, id: monitor.id, now });
    await tx`
      update monitors set depends_on = array_remove(depends_on, ${monitor.slug})
      where page_id = ${monitor.pageId} and ${monitor.slug} = any (depends_on)`;
    await tx`delete from monitors where id = ${monitor.id}`;
    await recordMonitor(tx, { by, now }, { verb: 'delete', before: monitor, after: null });
    return monitor;
  });
}

import { FileError } from '../apply/read-file.js';
import { type Collector, createCollector, type Imported, type Settings } from './imported.js';
import { isSet, unknownKeys, unreadNotes, useOf } from './keys.js';
import { kumaBackupKeys, kumaColumn, kumaKeys, kumaTableKeys } from './kuma-keys.js';
import { kumaRequest } from './kuma-request.js';
import type { Tables } from './read-sqlite.js';
import { failuresOf, type Note, periodOf, timingOf } from './request.js';
import { flagOf, listOf, numberOf, type Row, rowOf, textOf } from './values.js';

/** The tables that an import reads. */
export const kumaTables = { monitors: 'select * from monitor order by id' } as const;

/**
 * Imports the JSON backup of Uptime Kuma (https://github.com/louislam/uptime-kuma).
 *
 * @throws FileError for what is no such backup
 */
export function importKumaBackup(text: string): Imported {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new FileError('The file is neither JSON nor a database of SQLite.');
  }
  const backup = rowOf(value);
  const monitors = backup['monitorList'];
  if (!Array.isArray(monitors))
    throw new FileError('This is no backup of Uptime Kuma: it has no monitorList.');
  const into = createCollector();
  for (const [key, held] of Object.entries(backup)) {
    if (useOf(kumaBackupKeys, key) === 'noted' && isSet(held))
      into.note(`${key} is not read: ${meant[key] ?? 'it is not known'}`);
  }
  takeMonitors(monitors.map(byColumn), into);
  return into.imported;
}

/**
 * Imports the database of Uptime Kuma.
 *
 * @throws FileError for a table of something else
 */
export function importKumaDatabase({ rows, others }: Tables<'monitors'>): Imported {
  const [first] = rows.monitors;
  if (first !== undefined && !('type' in first)) {
    throw new FileError('This is no database of Uptime Kuma: its table monitor has no column type.');
  }
  const into = createCollector();
  for (const table of others) {
    if (useOf(kumaTableKeys, table) === 'noted')
      into.note(`the table ${table} is not read: ${meant[table] ?? 'it is not known'}`);
  }
  takeMonitors(rows.monitors, into);
  return into.imported;
}

const channels = 'make channels with heartline channel create';
const planned = 'plan maintenance here when you change over';
const proxies = 'requests go straight to their targets here';
const meant: Readonly<Record<string, string>> = {
  ...{ notificationList: channels, notification: channels, maintenanceList: planned, maintenance: planned },
  ...{ proxyList: proxies, proxy: proxies, tag: 'monitors have no tags' },
  statusPageList: 'a page is made with heartline page create',
  status_page: 'a page is made with heartline page create',
  group: 'the sections of status pages become no groups; groups of monitors do',
  incident: 'incidents of Uptime Kuma have no times',
};

function byColumn(monitor: unknown): Row {
  return Object.fromEntries(Object.entries(rowOf(monitor)).map(([key, value]) => [kumaColumn(key), value]));
}

function takeMonitors(rows: readonly Row[], into: Collector): void {
  const groups = new Map(
    rows.filter((row) => row['type'] === 'group').map((row) => [textOf(row['id']), row]),
  );
  const parents = new Set(rows.map((row) => textOf(row['parent'])));
  for (const row of rows) {
    if (row['type'] !== 'group') takeMonitor(row, groups, into);
    else if (!parents.has(textOf(row['id']))) into.note(`the group ${nameOf(row)} has no monitors`);
  }
  const { left, monitors } = into.imported;
  if (left.length === 0 && monitors.length === 0) throw new FileError('There are no monitors in it.');
}

/** Uptime Kuma has monitors without a name. */
function nameOf(row: Row): string {
  return textOf(row['name']).trim() || `${textOf(row['type']) || 'monitor'} ${textOf(row['id'])}`.trim();
}

/** The groups around a monitor, from the outside. */
function groupsAround(row: Row, groups: ReadonlyMap<string, Row>): Row[] {
  const around: Row[] = [];
  let group = groups.get(textOf(row['parent']));
  while (group !== undefined && !around.includes(group)) {
    around.unshift(group);
    group = groups.get(textOf(group['parent']));
  }
  return around;
}

function takeMonitor(row: Row, groups: ReadonlyMap<string, Row>, into: Collector): void {
  const name = nameOf(row);
  const isNamed = textOf(row['name']).trim() !== '';
  const notes: Note[] = isNamed ? [] : [{ mended: 'it has no name there: it is named by its id' }];
  const target = flagOf(row['upside_down'])
    ? 'it counts as up while its check fails, which monitors here never do'
    : targetOf(row, notes);
  if (typeof target === 'string') {
    into.leave(name, target);
    return;
  }
  const around = groupsAround(row, groups);
  if (around.length > 1) notes.push('its group is in another group, which groups here are not');
  if (isSet(row['parent']) && around.length === 0) notes.push('its group is not in the file');
  notes.push(...otherNotes(row), ...unreadNotes(unknownKeys(row, kumaKeys)));
  into.monitor({
    settings: { ...target, name, description: textOf(row['description']) },
    group: around.map(nameOf).join(' / '),
    isPaused: isPaused(row) || around.some(isPaused),
    notes,
  });
}

const isPaused = (row: Row) => flagOf(row['active']) === false || flagOf(row['force_inactive']) === true;

/** Returns the settings of a check, or a sentence that says why there is no such monitor here. */
function targetOf(row: Row, notes: Note[]): Omit<Settings, 'name'> | string {
  const type = textOf(row['type']);
  const interval = numberOf(row['interval']) || 60;
  const failuresToDown = () => failuresOf((numberOf(row['maxretries']) ?? 0) + 1, notes);
  switch (type) {
    case 'http':
    case 'keyword': {
      const request = kumaRequest(row, notes);
      return typeof request === 'string'
        ? request
        : { ...request, ...timingNotes(row, interval, notes), failuresToDown: failuresToDown() };
    }
    case 'port': {
      const [host, port] = [textOf(row['hostname']).trim(), numberOf(row['port'])];
      if (host === '' || !port) return 'it has no host or no port';
      return {
        ...{ type: 'tcp', url: `tcp://${host.includes(':') ? `[${host}]` : host}:${port}` },
        ...{ ...timingNotes(row, interval, notes), failuresToDown: failuresToDown() },
      };
    }
    case 'push':
      notes.push('its job must call the new address');
      return {
        ...{ type: 'heartbeat', periodSeconds: periodOf(interval, notes) },
        failuresToDown: failuresToDown(),
      };
    case 'manual':
      if (isSet(row['manual_status'])) notes.push('its state is said in incidents here');
      return { type: 'manual' };
    default:
      return `monitors have no checks of the kind ${type || 'that it has'}`;
  }
}

/** Uptime Kuma waits four fifths of the interval when the monitor does not say how long. */
function timingNotes(row: Row, interval: number, notes: Note[]) {
  const retry = numberOf(row['retry_interval']) || interval;
  if ((numberOf(row['maxretries']) ?? 0) > 0 && retry !== interval) {
    notes.push(`it is tried again after its interval, not after ${retry} s (retryInterval)`);
  }
  const timeoutSeconds = numberOf(row['timeout']) || interval * 0.8;
  return timingOf({ everySeconds: interval, timeoutSeconds }, notes);
}

/** Settings that have no counterpart here, of monitors of any kind. */
function otherNotes(row: Row): string[] {
  const [resend, tags] = [numberOf(row['resend_interval']) ?? 0, listOf(row['tags']).length];
  const sent = Object.values(rowOf(row['notification_idlist'])).filter((value) => value === true).length;
  const family = textOf(row['ip_family']) || textOf(row['ipfamily']);
  const hasConditions = listOf(row['conditions']).length > 0;
  return [
    ...(resend > 0
      ? [`its notification was repeated after ${resend} failures (resendInterval), and is not here`]
      : []),
    ...(isSet(row['proxy_id'])
      ? ['it went through a proxy (proxyId), and goes straight to its target here']
      : []),
    ...(sent > 0
      ? [`it used ${sent} of the notifications; here the channels of a page hear of all monitors`]
      : []),
    ...(tags > 0 ? ['its tags are not there'] : []),
    ...(flagOf(row['domain_expiry_notification']) ? ['the end of its domain is not announced here'] : []),
    ...(flagOf(row['cache_bust']) ? ['its address gets no parameter against caches here'] : []),
    ...(family !== '' && family !== 'auto' ? [`it was reached over ${family} alone`] : []),
    ...(hasConditions ? ['its conditions are not checked'] : []),
  ];
}

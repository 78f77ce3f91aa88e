import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileMonitor } from '../../contract/manage/apply.js';
import { httpMethods, monitorLimits } from '../../contract/monitors.js';
import { describeFirstError } from '../../lib/parse-body.js';
import { UsageError } from '../core/errors.js';
import { type Collector, createCollector, type Imported, within } from './imported.js';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const flag = nullable(Type.Union([Type.Boolean(), Type.Integer()]));

/** A monitor of the backup, or a row of the table `monitor`; numbers stand for booleans there. */
const KumaMonitor = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  parent: nullable(Type.Integer()),
  active: flag,
  url: nullable(Type.String()),
  hostname: nullable(Type.String()),
  port: nullable(Type.Integer()),
  interval: nullable(Type.Number()),
  maxretries: nullable(Type.Integer()),
  timeout: nullable(Type.Number()),
  method: nullable(Type.String()),
  headers: nullable(Type.String()),
  body: nullable(Type.String()),
  keyword: nullable(Type.String()),
  invertKeyword: flag,
  ignoreTls: flag,
  upsideDown: flag,
  expiryNotification: flag,
  description: nullable(Type.String()),
  accepted_statuscodes: nullable(Type.Array(Type.String())),
  basic_auth_user: nullable(Type.String()),
  basic_auth_pass: nullable(Type.String()),
});
type KumaMonitor = Type.Static<typeof KumaMonitor>;
const Backup = Type.Object({ monitorList: Type.Array(KumaMonitor) });

/**
 * What a page takes of the JSON backup of Uptime Kuma (https://github.com/louislam/uptime-kuma).
 *
 * @throws UsageError for what is no such backup
 */
export function importKumaBackup(text: string): Imported {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('The file is neither JSON nor a database of SQLite.');
  }
  const check = Compile(Backup);
  if (!check.Check(value)) {
    throw new UsageError(`This is no backup of Uptime Kuma: ${describeFirstError(check, value)}`);
  }
  return takeMonitors(value.monitorList);
}

/**
 * What a page takes of the database of Uptime Kuma.
 *
 * @param rows of its table `monitor`
 * @throws UsageError for rows of another table
 */
export function importKumaRows(rows: readonly Record<string, unknown>[]): Imported {
  const check = Compile(KumaMonitor);
  const monitors = rows.map((row) => {
    const monitor: unknown = {
      ...row,
      accepted_statuscodes: parseList(row['accepted_statuscodes_json']),
      invertKeyword: row['invert_keyword'],
      ignoreTls: row['ignore_tls'],
      upsideDown: row['upside_down'],
      expiryNotification: row['expiry_notification'],
    };
    if (check.Check(monitor)) return monitor;
    throw new UsageError(`This is no database of Uptime Kuma: ${describeFirstError(check, monitor)}`);
  });
  return takeMonitors(monitors);
}

function parseList(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function takeMonitors(monitors: readonly KumaMonitor[]): Imported {
  const into = createCollector();
  const groups = new Map(monitors.filter(({ type }) => type === 'group').map((group) => [group.id, group]));
  for (const monitor of monitors) {
    if (monitor.type !== 'group') takeMonitor(monitor, groups, into);
  }
  if (into.imported.left.length === 0 && Object.keys(into.imported.monitors).length === 0) {
    throw new UsageError('There are no monitors in it.');
  }
  return into.imported;
}

function takeMonitor(monitor: KumaMonitor, groups: ReadonlyMap<number, KumaMonitor>, into: Collector): void {
  const { name, type, parent, active, upsideDown, description } = monitor;
  const notes: string[] = [];
  const target = targetOf(monitor, notes);
  if (typeof target === 'string' || upsideDown) {
    const inverted = 'it counts as up while its check fails, which monitors here never do';
    into.leave(name, typeof target === 'string' ? target : inverted);
    return;
  }
  const group = parent == null ? undefined : groups.get(parent)?.name;
  const text = description?.replaceAll(/\s+/g, ' ').trim().slice(0, monitorLimits.descriptionChars);
  if (active === false || active === 0) notes.push('it was paused: pause it with heartline monitor pause');
  if (type === 'push') notes.push('its job must call the new address');
  into.monitor(
    {
      ...{ ...target, name, ...commonOf(monitor, notes) },
      ...(group !== undefined && { group: into.group(group) }),
      ...(text && { description: text }),
    },
    notes,
  );
}

/** What a monitor checks; a sentence that says why there is no such monitor here. */
function targetOf(monitor: KumaMonitor, notes: string[]): Omit<FileMonitor, 'name'> | string {
  const { type, url, hostname, port, keyword, invertKeyword, ignoreTls, interval } = monitor;
  switch (type) {
    case 'http':
    case 'keyword': {
      if (!url || !/^https?:\/\//i.test(url)) return 'it has no address that begins with http:// or https://';
      if (type === 'keyword' && invertKeyword)
        return 'it fails when the text is there, which monitors here never do';
      if (ignoreTls) notes.push('a certificate that is not valid fails here');
      return {
        ...{ type: 'http', url, ...requestOf(monitor, notes) },
        ...(type === 'keyword' && keyword && { expectBody: keyword.slice(0, monitorLimits.expectBodyChars) }),
      };
    }
    case 'port':
      if (!hostname || !port) return 'it has no host or no port';
      return { type: 'tcp', url: `tcp://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}` };
    case 'push': {
      const { periodSecondsMin, periodSecondsMax } = monitorLimits;
      return {
        type: 'heartbeat',
        periodSeconds: within(interval ?? 60, periodSecondsMin, periodSecondsMax).value,
      };
    }
    default:
      return `monitors have no checks of the kind ${type}`;
  }
}

function requestOf(monitor: KumaMonitor, notes: string[]): Partial<FileMonitor> {
  const { method, body, accepted_statuscodes: statuses, expiryNotification } = monitor;
  const known = httpMethods.find((one) => one === (method ?? 'GET').toUpperCase());
  if (known === undefined) notes.push(`the method ${method} is not there: GET takes its place`);
  const headers = headersOf(monitor, notes);
  return {
    method: known ?? 'GET',
    ...(statuses != null && statuses.length > 0 && { expectStatus: statuses.join(',') }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body && { body }),
    ...(expiryNotification && { tlsExpiryDays: 7 }),
  };
}

function headersOf(
  { headers, basic_auth_user: user, basic_auth_pass: password }: KumaMonitor,
  notes: string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  if (headers) {
    const parsed: unknown = parseObject(headers);
    if (parsed === undefined) notes.push('its headers are no JSON, and are not sent');
    for (const [name, value] of Object.entries(parsed ?? {})) found[name] = String(value);
  }
  if (user) found['Authorization'] = `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`;
  return found;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function commonOf(
  { type, interval, maxretries, timeout }: KumaMonitor,
  notes: string[],
): Partial<FileMonitor> {
  const { everySecondsMin, everySecondsMax, failuresToDownMax, timeoutMsMin, timeoutMsMax } = monitorLimits;
  const failuresToDown = within((maxretries ?? 0) + 1, 1, failuresToDownMax).value;
  if (type === 'push') return { failuresToDown };
  const every = within(interval ?? 60, everySecondsMin, everySecondsMax);
  if (every.isChanged) notes.push(`it is checked every ${every.value} s, not every ${interval} s`);
  const most = Math.min(timeoutMsMax, every.value * 1_000);
  return {
    ...{ failuresToDown, everySeconds: every.value },
    ...(timeout != null && timeout > 0 && { timeoutMs: within(timeout * 1_000, timeoutMsMin, most).value }),
  };
}

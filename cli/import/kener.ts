import { updateStatuses } from '../../contract/incidents.js';
import type { FileMonitor } from '../../contract/manage/apply.js';
import { httpMethods, monitorLimits } from '../../contract/monitors.js';
import { secondMs } from '../../lib/times.js';
import { type Collector, createCollector, type Imported, within } from './imported.js';

type Row = Record<string, unknown>;

/** The group that Kener has when nobody chose one. */
const usualCategory = 'Home';

/** The tables of the database of Kener that an import reads. */
export const kenerTables = {
  monitors: 'select * from monitors order by id',
  incidents: 'select * from incidents order by id',
  comments: 'select * from incident_comments order by commented_at, id',
  affected: 'select * from incident_monitors order by id',
} as const;

/**
 * What a page takes of the database of Kener (https://github.com/rajnandan1/kener): its monitors, and its incidents and
 * maintenance that are over. Its times are in seconds since the epoch.
 */
export function importKener(tables: Readonly<Record<keyof typeof kenerTables, readonly Row[]>>): Imported {
  const into = createCollector();
  const slugs = new Map<string, string>();
  for (const row of tables.monitors) {
    const slug = takeMonitor(row, into);
    if (slug !== undefined) slugs.set(textOf(row['tag']), slug);
  }
  for (const row of tables.incidents) {
    const ofIt = (one: Row) => one['incident_id'] === row['id'];
    const services = tables.affected
      .filter(ofIt)
      .flatMap((one) => slugs.get(textOf(one['monitor_tag'])) ?? []);
    takeIncident(row, { comments: tables.comments.filter(ofIt), services }, into);
  }
  return into.imported;
}

function takeIncident(
  row: Row,
  { comments, services }: { comments: readonly Row[]; services: readonly string[] },
  into: Collector,
): void {
  const title = textOf(row['title']);
  const [startedAt, endedAt] = [timeOf(row['start_date_time']), timeOf(row['end_date_time'])];
  if (startedAt === undefined || endedAt === undefined) {
    into.leave(title, 'it is not over; open it here when you change over');
    return;
  }
  const texts = comments.filter(
    (one) => textOf(one['status']) !== 'INACTIVE' && textOf(one['comment']).trim(),
  );
  const [first, ...later] = texts;
  into.incident({
    type: textOf(row['incident_type']) === 'MAINTENANCE' ? 'maintenance' : 'incident',
    ...{ title, services, startedAt, endedAt, publishedAt: startedAt },
    summary: textOf(first?.['comment']) || title,
    updates: later.map((one) => ({
      at: timeOf(one['commented_at']) ?? startedAt,
      status: updateStatuses.find((status) => status.toUpperCase() === textOf(one['state'])) ?? 'monitoring',
      body: textOf(one['comment']),
    })),
  });
}

const timeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value * secondMs : undefined;

/** Returns the slug of the monitor; `undefined` when it was not taken. */
function takeMonitor(row: Row, into: Collector): string | undefined {
  const name = textOf(row['name']) || textOf(row['tag']);
  const notes: string[] = [];
  const target = targetOf(textOf(row['monitor_type']), dataOf(row['type_data']), notes);
  if (typeof target === 'string') {
    into.leave(name, target);
    return undefined;
  }
  const category = textOf(row['category_name']);
  const description = textOf(row['description']).replaceAll(/\s+/g, ' ').trim();
  const isTimed = target.type === 'http' || target.type === 'tcp';
  if (textOf(row['status']) === 'INACTIVE')
    notes.push('it was switched off: pause it with heartline monitor pause');
  return into.monitor(
    {
      ...{ ...target, name },
      ...(isTimed && everyOf(textOf(row['cron']), notes)),
      ...(category !== '' && category !== usualCategory && { group: into.group(category) }),
      ...(description !== '' && { description: description.slice(0, monitorLimits.descriptionChars) }),
      ...(textOf(row['is_hidden']) === 'YES' && { hidden: true }),
    },
    notes,
  );
}

/** What a monitor checks; a sentence that says why there is no such monitor here. */
function targetOf(kind: string, data: Row, notes: string[]): Omit<FileMonitor, 'name'> | string {
  switch (kind) {
    case 'API': {
      const url = textOf(data['url']);
      if (!/^https?:\/\//i.test(url)) return 'it has no address that begins with http:// or https://';
      if (url.includes('$')) return 'its address has a secret of the environment';
      if (textOf(data['eval']) !== '') notes.push('its script is not run: a status from 200 to 299 passes');
      return { type: 'http', url, ...requestOf(data, notes) };
    }
    case 'TCP': {
      const hosts = Array.isArray(data['hosts']) ? data['hosts'].map(dataOf) : [];
      const [first] = hosts;
      if (first === undefined || textOf(first['host']) === '') return 'it has no host';
      if (hosts.length > 1) notes.push(`only the first of its ${hosts.length} hosts is checked`);
      const host = textOf(first['host']);
      return {
        type: 'tcp',
        url: `tcp://${host.includes(':') ? `[${host}]` : host}:${Number(first['port'])}`,
      };
    }
    case 'HEARTBEAT': {
      const { periodSecondsMin, periodSecondsMax } = monitorLimits;
      const minutes = Number(data['downRemainingMinutes']) || 10;
      notes.push('its job must call the new address');
      return {
        type: 'heartbeat',
        periodSeconds: within(minutes * 60, periodSecondsMin, periodSecondsMax).value,
      };
    }
    case 'NONE':
      return { type: 'manual' };
    default:
      return `monitors have no checks of the kind ${kind || 'that it has'}`;
  }
}

function requestOf(data: Row, notes: string[]): Partial<FileMonitor> {
  const method = textOf(data['method']) || 'GET';
  const known = httpMethods.find((one) => one === method.toUpperCase());
  if (known === undefined) notes.push(`the method ${method} is not there: GET takes its place`);
  const headers = (Array.isArray(data['headers']) ? data['headers'].map(dataOf) : []).map(
    ({ key, value }) => [textOf(key), textOf(value)] as const,
  );
  const body = textOf(data['body']);
  const timeoutMs = Number(data['timeout']);
  return {
    method: known ?? 'GET',
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body !== '' && { body }),
    ...(timeoutMs > 0 && {
      timeoutMs: within(timeoutMs, monitorLimits.timeoutMsMin, monitorLimits.timeoutMsMax).value,
    }),
  };
}

/** A pattern of cron that repeats after so many minutes; every minute for any other. */
function everyOf(cron: string, notes: string[]): Partial<FileMonitor> {
  const minutes =
    /^\*\/(\d+) \* \* \* \*$/.exec(cron)?.[1] ?? (cron === '* * * * *' || cron === '' ? '1' : undefined);
  if (minutes === undefined) notes.push(`it is checked every minute, and not at ${cron}`);
  const { everySecondsMin, everySecondsMax } = monitorLimits;
  return { everySeconds: within(Number(minutes ?? 1) * 60, everySecondsMin, everySecondsMax).value };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An object, or the JSON of one. */
function dataOf(value: unknown): Row {
  if (typeof value === 'object' && value !== null) return { ...value };
  try {
    const parsed: unknown = JSON.parse(textOf(value));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

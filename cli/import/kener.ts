import { monitorLimits } from '../../contract/monitors.js';
import {
  type Collector,
  createCollector,
  type Imported,
  type ImportedMonitor,
  type Settings,
} from './imported.js';
import { kenerIncident, kenerMaintenance } from './kener-incidents.js';
import { kenerCheckKeys, kenerKeys, kenerTableKeys } from './kener-keys.js';
import { isSet, unknownKeys, unreadNotes, useOf } from './keys.js';
import type { Tables } from './read-sqlite.js';
import {
  failuresOf,
  joinHeaders,
  methodOf,
  type Note,
  noteRedirects,
  periodOf,
  takeAddress,
  timingOf,
  within,
} from './request.js';
import { flagOf, listOf, numberOf, type Row, rowOf, textOf } from './values.js';

/** The group that Kener has when nobody chose one. */
const usualCategory = 'Home';
/** Milliseconds, of Kener 4. */
const timeoutMsDefault = 10_000;
/** Statuses that pass without a script: 2xx, 3xx and 429. Redirects are followed, so none of them is the answer. */
const statusesDefault = '200-300,304-306,309-399,429';

/** The tables of the database of Kener that an import reads. Those that a version does not have are empty. */
export const kenerTables = {
  monitors: 'select * from monitors order by id',
  incidents: 'select * from incidents order by id',
  comments: 'select * from incident_comments order by commented_at, id',
  affected: 'select * from incident_monitors order by id',
  pages: 'select * from pages order by id',
  placed: 'select * from pages_monitors order by page_id',
  groups: 'select * from pages_monitor_groups order by id',
  maintenances: 'select * from maintenances order by id',
  maintained: 'select * from maintenance_monitors order by id',
  events: 'select * from maintenances_events order by start_date_time, id',
} as const;
type KenerTables = Tables<keyof typeof kenerTables>;

/**
 * Reads the database of Kener (https://github.com/rajnandan1/kener), version 3 or 4: its monitors, and its
 * incidents and maintenance that are over. Its times are in seconds since the epoch.
 *
 * @param now in milliseconds since the epoch
 */
export function importKener({ rows, others }: KenerTables, now: number): Imported {
  const into = createCollector();
  for (const table of others) {
    if (useOf(kenerTableKeys, table) === 'noted') into.note(`the table ${table} is not read`);
  }
  if (rows.pages.length > 1) into.note(`its ${rows.pages.length} pages become one`);
  const monitors = new Map<string, ImportedMonitor>();
  for (const row of rows.monitors) {
    const monitor = takeMonitor(row, groupsOf(row, rows), into);
    if (monitor !== undefined) monitors.set(textOf(row['tag']), monitor);
  }
  const servicesOf = (affected: readonly Row[]) =>
    affected.flatMap((one) => monitors.get(textOf(one['monitor_tag'])) ?? []);
  for (const row of rows.incidents) {
    const ofIt = (one: Row) => textOf(one['incident_id']) === textOf(row['id']);
    const services = servicesOf(rows.affected.filter(ofIt));
    kenerIncident(row, { comments: rows.comments.filter(ofIt), services, now }, into);
  }
  for (const row of rows.maintenances) {
    const ofIt = (one: Row) => textOf(one['maintenance_id']) === textOf(row['id']);
    const services = servicesOf(rows.maintained.filter(ofIt));
    kenerMaintenance(row, { events: rows.events.filter(ofIt), services, now }, into);
  }
  if (rows.affected.some((one) => isSet(one['monitor_impact']))) {
    into.note(
      'the column monitor_impact of incident_monitors is not read: incidents say which services they affect',
    );
  }
  return into.imported;
}

/** The groups in which pages show a monitor; Kener 3 has categories in their place. */
function groupsOf(row: Row, { placed, groups }: KenerTables['rows']): string[] {
  const named = placed
    .filter((one) => textOf(one['monitor_tag']) === textOf(row['tag']))
    .map((one) => {
      const group = groups.find(({ id }) => textOf(id) === textOf(one['page_monitor_group_id']));
      return textOf(one['group_name']).trim() || textOf(group?.['name']).trim();
    });
  const category = textOf(row['category_name']).trim();
  const found = [...new Set(named.filter((name) => name !== ''))];
  if (found.length > 0) return found;
  return category === '' || category === usualCategory ? [] : [category];
}

/** Returns the monitor; `undefined` when it was not taken. */
function takeMonitor(row: Row, groups: readonly string[], into: Collector): ImportedMonitor | undefined {
  const name = textOf(row['name']).trim() || textOf(row['tag']).trim() || `monitor ${textOf(row['id'])}`;
  const notes: Note[] = [];
  const data = rowOf(row['type_data']);
  const target = targetOf(row, data, notes);
  if (typeof target === 'string') {
    into.leave(name, target);
    return undefined;
  }
  for (const [column, note] of Object.entries(ownNotes)) {
    if (isSet(row[column]) && textOf(row[column]) !== 'NONE') notes.push(note);
  }
  if (groups.length > 1) notes.push(`it is in the first of its groups: ${groups.join(', ')}`);
  notes.push(...unreadNotes([...unknownKeys(row, kenerKeys), ...unknownKeys(data, kenerCheckKeys)]));
  const link = textOf(row['external_url']).trim();
  return into.monitor({
    settings: {
      ...{ ...target, name, description: textOf(row['description']) },
      ...(textOf(row['is_hidden']) === 'YES' && { hidden: true }),
      ...(/^https?:\/\//i.test(link) && { link }),
    },
    group: groups[0],
    isPaused: textOf(row['status']) === 'INACTIVE',
    notes,
  });
}

const ownNotes: Readonly<Record<string, string>> = {
  down_trigger: 'its down_trigger is not read: make channels with heartline channel create',
  degraded_trigger: 'its degraded_trigger is not read: make channels with heartline channel create',
  monitor_settings_json: 'its monitor_settings_json is not read',
  image: 'its image is not shown',
  default_status: 'its default_status is not read: a service without checks is operational',
};

/** Returns the settings of a check, or a sentence that says why there is no such monitor here. */
function targetOf(row: Row, data: Row, notes: Note[]): Omit<Settings, 'name'> | string {
  const kind = textOf(row['monitor_type']);
  const failuresToDown = () => failuresOf(numberOf(row['confirmation_threshold']) || 1, notes);
  const everySeconds = () => everyOf(textOf(row['cron']).trim(), notes);
  switch (kind) {
    case 'API': {
      const { url, authorization } = takeAddress(textOf(data['url']));
      if (!/^https?:\/\//i.test(url)) return 'it has no address that begins with http:// or https://';
      if (url.includes('$')) return 'its address has a secret of the environment';
      const request = requestOf(data, authorization, notes);
      const timeoutSeconds = (numberOf(data['timeout']) || timeoutMsDefault) / 1_000;
      const timing = timingOf({ everySeconds: everySeconds(), timeoutSeconds }, notes);
      return { type: 'http', url, ...request, ...timing, failuresToDown: failuresToDown() };
    }
    case 'TCP': {
      const hosts = listOf(data['hosts']).map(rowOf);
      const [first = {}] = hosts;
      const [host, port] = [textOf(first['host']).trim(), numberOf(first['port'])];
      if (host === '' || port === undefined) return 'it has no host or no port';
      if (hosts.length > 1) notes.push(`only the first of its ${hosts.length} hosts is checked`);
      if (isSet(data['tcpEval'])) notes.push('its script is not run: a connection passes');
      notes.push(...unreadNotes(unknownKeys(first, kenerCheckKeys, 'hosts.')));
      const timeoutSeconds = (numberOf(first['timeout']) || timeoutMsDefault) / 1_000;
      return {
        ...{ type: 'tcp', url: `tcp://${host.includes(':') ? `[${host}]` : host}:${port}` },
        ...timingOf({ everySeconds: everySeconds(), timeoutSeconds }, notes),
        failuresToDown: failuresToDown(),
      };
    }
    case 'HEARTBEAT':
      notes.push('its job must call the new address');
      if (isSet(data['degradedRemainingMinutes'])) {
        notes.push('a job that is late is down, and not degraded before');
      }
      return {
        ...{ type: 'heartbeat', failuresToDown: failuresToDown() },
        periodSeconds: periodOf((numberOf(data['downRemainingMinutes']) || 10) * 60, notes),
      };
    case 'NONE':
      return { type: 'manual' };
    default:
      return `monitors have no checks of the kind ${kind || 'that it has'}`;
  }
}

function requestOf(data: Row, authorization: string | undefined, notes: Note[]): Partial<Settings> {
  const own = listOf(data['headers']).map(rowOf);
  const headers = joinHeaders(
    authorization === undefined ? [] : [['Authorization', authorization]],
    own.map(({ key, value }) => [textOf(key), textOf(value)]),
  );
  const body = textOf(data['body']);
  const hasScript = textOf(data['eval']).trim() !== '';
  if (hasScript) notes.push('its script is not run: a status from 200 to 299 passes');
  if (authorization !== undefined)
    notes.push({ mended: 'the user name and the password of its address are sent in a header' });
  if ([body, ...Object.values(headers)].some((text) => /\$[A-Z_]/.test(text))) {
    notes.push('a secret of the environment in its headers or its body is not filled in: set them here');
  }
  if (flagOf(data['allowSelfSignedCert'])) notes.push('a certificate that is not valid fails here');
  const expectStatus = hasScript ? '200-299' : statusesDefault;
  noteRedirects(
    { redirectsMax: monitorLimits.redirects, expectStatus: hasScript ? expectStatus : '200' },
    notes,
  );
  return {
    ...{ method: methodOf(textOf(data['method']), notes), expectStatus },
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== '' && { body }),
  };
}

/** Seconds of a pattern of cron that repeats after so many minutes; a minute for any other. */
function everyOf(cron: string, notes: Note[]): number {
  const minutes =
    /^\*\/(\d+) \* \* \* \*$/.exec(cron)?.[1] ?? (cron === '* * * * *' || cron === '' ? '1' : undefined);
  if (minutes === undefined) notes.push(`it is checked every minute, and not at ${cron}`);
  const { everySecondsMin: min, everySecondsMax: max } = monitorLimits;
  return within(Number(minutes ?? 1) * 60, { min, max }, () => undefined);
}

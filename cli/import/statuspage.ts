import { updateStatuses } from '../../contract/incidents.js';
import { impacts } from '../../contract/public/service-states.js';
import { download } from '../../lib/outbound/download.js';
import type { Config } from '../../service/config.js';
import { FileError } from '../apply/read-file.js';
import { UsageError } from '../core/errors.js';
import {
  type Collector,
  createCollector,
  type Imported,
  type ImportedIncident,
  type ImportedMonitor,
} from './imported.js';
import { isSet, type Keys, unknownKeys, unreadNotes } from './keys.js';
import { hideCredentials } from './request.js';
import { statuspageComponentKeys, statuspageIncidentKeys } from './statuspage-keys.js';
import { flagOf, listOf, type Row, rowOf, textOf } from './values.js';

const answerMsMax = 20_000;
const answerBytesMax = 5_000_000;

/**
 * Imports a page of Statuspage: its components become services without checks, in the same groups, and its
 * incidents and maintenance that are over become incidents. Reads its public API, which other products answer as well; it
 * has the newest 50 of each. Fields that the import does not use are not checked.
 *
 * @param address of the page, such as https://status.example.com
 * @throws UsageError for what is no address
 * @throws FileError for an address where there is no such API
 */
export async function importStatuspage(
  address: string,
  { allowPrivateAddresses, baseUrl }: Pick<Config, 'allowPrivateAddresses' | 'baseUrl'>,
): Promise<Imported> {
  const origin = addressOf(address);
  const mayBePrivate = allowPrivateAddresses ?? baseUrl === undefined;
  const listAt = (path: string, member: string) => read(new URL(path, origin), member, mayBePrivate);
  const components = await listAt('/api/v2/components.json', 'components');
  const incidents = await listAt('/api/v2/incidents.json', 'incidents');
  const maintenances = await listAt('/api/v2/scheduled-maintenances.json', 'scheduled_maintenances');
  const into = createCollector();
  const services = takeComponents(components, into);
  const servicesOf = (row: Row) => [
    ...new Set(listOf(row['components']).flatMap((one) => services.get(textOf(rowOf(one)['id'])) ?? [])),
  ];
  for (const row of incidents) takeIncident(row, servicesOf(row), into);
  for (const row of maintenances) takeMaintenance(row, servicesOf(row), into);
  for (const key of unreadOf([...incidents, ...maintenances], statuspageIncidentKeys)) {
    into.note(`incidents have ${key}, which is not read`);
  }
  return into.imported;
}

const unreadOf = (rows: readonly Row[], keys: Keys) => [
  ...new Set(rows.flatMap((row) => unknownKeys(row, keys))),
];

/** Returns the services by the ids of the components. */
function takeComponents(components: readonly Row[], into: Collector): ReadonlyMap<string, ImportedMonitor> {
  const services = new Map<string, ImportedMonitor>();
  const isGroup = (row: Row) => flagOf(row['group']) === true;
  const nameOf = (row: Row) => textOf(row['name']).trim() || `component ${textOf(row['id'])}`.trim();
  const groups = new Map(components.filter(isGroup).map((row) => [textOf(row['id']), nameOf(row)]));
  for (const row of components.filter((one) => !isGroup(one))) {
    const isShy = flagOf(row['only_show_if_degraded']) === true;
    const notes = [
      ...(isShy ? ['it was shown only while it was degraded, and is always shown here'] : []),
      ...unreadNotes(unknownKeys(row, statuspageComponentKeys)),
    ];
    const service = into.monitor({
      settings: { type: 'manual', name: nameOf(row), description: textOf(row['description']) },
      ...{ group: groups.get(textOf(row['group_id'])), notes },
    });
    services.set(textOf(row['id']), service);
  }
  return services;
}

function takeIncident(row: Row, services: readonly ImportedMonitor[], into: Collector): void {
  const title = textOf(row['name']).trim() || `incident ${textOf(row['id'])}`;
  const texts = textsOf(row, title);
  const startedAt = timeOf(row['started_at']) ?? timeOf(row['created_at']) ?? texts.firstAt;
  const isOver = /^(resolved|postmortem)$/.test(textOf(row['status']));
  const endedAt = timeOf(row['resolved_at']) ?? (isOver ? texts.lastAt : undefined);
  if (endedAt === undefined) {
    into.leave(title, 'it is not over; open it here when you change over');
    return;
  }
  if (startedAt === undefined) {
    into.leave(title, 'it does not say when it began');
    return;
  }
  const impact = impacts.find((one) => one === row['impact']);
  noteOf(row, title, into);
  into.incident({
    ...{ type: 'incident', title, services, summary: texts.summary, updates: texts.updates },
    ...(impact !== undefined && { impact }),
    ...{ publishedAt: timeOf(row['created_at']) ?? startedAt, startedAt, endedAt },
  });
}

function takeMaintenance(row: Row, services: readonly ImportedMonitor[], into: Collector): void {
  const title = textOf(row['name']).trim() || `maintenance ${textOf(row['id'])}`;
  if (textOf(row['status']) !== 'completed') {
    into.leave(title, 'it is not over; plan it here when you change over');
    return;
  }
  const { summary, updates, firstAt, lastAt } = textsOf(row, title);
  const startedAt = timeOf(row['scheduled_for']) ?? timeOf(row['started_at']) ?? firstAt;
  const endedAt = timeOf(row['scheduled_until']) ?? timeOf(row['resolved_at']) ?? lastAt;
  if (startedAt === undefined || endedAt === undefined) {
    into.leave(title, 'it does not say when it was');
    return;
  }
  noteOf(row, title, into);
  into.incident({
    ...{ type: 'maintenance', title, services, summary, updates },
    ...{ publishedAt: timeOf(row['created_at']) ?? startedAt, startedAt, endedAt },
  });
}

function noteOf(row: Row, title: string, into: Collector): void {
  if (isSet(row['postmortem_body'])) into.note(`the postmortem of ${title} is not taken: publish it here`);
}

type Texts = Pick<ImportedIncident, 'summary' | 'updates'> & {
  firstAt: number | undefined;
  lastAt: number | undefined;
};

/** The oldest update is what the incident was opened with. The end is a time, and no update of its own. */
function textsOf(row: Row, title: string): Texts {
  const all = listOf(row['incident_updates'])
    .map(rowOf)
    .map((update) => ({
      at: timeOf(update['display_at']) ?? timeOf(update['created_at']),
      status: updateStatuses.find((one) => one === update['status']) ?? ('monitoring' as const),
      body: textOf(update['body']).trim(),
    }));
  const [first, ...later] = all.toReversed();
  const times = all.flatMap(({ at }) => at ?? []);
  return {
    summary: first?.body || title,
    updates: later.flatMap(({ at, ...update }) =>
      at === undefined || update.body === '' ? [] : [{ at, ...update }],
    ),
    firstAt: times.length === 0 ? undefined : Math.min(...times),
    lastAt: times.length === 0 ? undefined : Math.max(...times),
  };
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function addressOf(text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new UsageError(
    `"${hideCredentials(text)}" is no address; give that of the page, such as https://status.example.com.`,
  );
}

/** The entries of a list in an answer. @throws FileError */
async function read(url: URL, member: string, allowPrivateAddresses: boolean): Promise<Row[]> {
  const list = rowOf(await readJson(url, allowPrivateAddresses))[member];
  if (Array.isArray(list)) return list.map(rowOf);
  throw new FileError(`${shown(url)} is not the API of Statuspage: it has no list "${member}".`);
}

/** Without a user name and a password. */
const shown = ({ origin, pathname }: URL) => `${origin}${pathname}`;

async function readJson(url: URL, allowPrivateAddresses: boolean): Promise<unknown> {
  const bounds = { bytesMax: answerBytesMax, timeoutMs: answerMsMax, allowPrivateAddresses };
  try {
    return JSON.parse((await download(url.href, bounds)).toString('utf8'));
  } catch (error) {
    // The message may have the whole address.
    const why = hideCredentials(error instanceof Error ? error.message : String(error));
    throw new FileError(`${shown(url)} could not be read: ${why}`);
  }
}

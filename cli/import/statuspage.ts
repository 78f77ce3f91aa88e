import { Compile } from 'typebox/compile';
import { updateStatuses } from '../../contract/incidents.js';
import { monitorLimits } from '../../contract/monitors.js';
import {
  StatuspageComponents,
  StatuspageIncidents,
  StatuspageMaintenances,
} from '../../contract/public/statuspage.js';
import { describeFirstError } from '../../lib/parse-body.js';
import { UsageError } from '../core/errors.js';
import { type Collector, createCollector, type Imported, type ImportedIncident } from './imported.js';

const answerMsMax = 20_000;
const answerBytesMax = 5_000_000;
const componentsForm = Compile(StatuspageComponents);
const incidentsForm = Compile(StatuspageIncidents);
const maintenancesForm = Compile(StatuspageMaintenances);
type Incident = StatuspageIncidents['incidents'][number];
type Maintenance = StatuspageMaintenances['scheduled_maintenances'][number];

/**
 * What a page takes of a page of Statuspage: its components become services without checks, in the same groups, and its
 * incidents and maintenance that are over become incidents. Reads its public API, which other products answer as well; it
 * has the newest 50 of each.
 *
 * @param address of the page, such as https://status.example.com
 * @throws UsageError for an address where there is no such API
 */
export async function importStatuspage(address: string): Promise<Imported> {
  const origin = addressOf(address);
  const { components } = await read(new URL('/api/v2/components.json', origin), componentsForm);
  const { incidents } = await read(new URL('/api/v2/incidents.json', origin), incidentsForm);
  const { scheduled_maintenances: maintenances } = await read(
    new URL('/api/v2/scheduled-maintenances.json', origin),
    maintenancesForm,
  );
  const into = createCollector();
  const slugs = takeComponents(components, into);
  const servicesOf = (affected: readonly { id: string }[] = []) =>
    affected.flatMap(({ id }) => slugs.get(id) ?? []);
  for (const incident of incidents) takeIncident(incident, servicesOf(incident.components), into);
  for (const maintenance of maintenances) {
    takeMaintenance(maintenance, servicesOf(maintenance.components), into);
  }
  return into.imported;
}

/** Returns the slugs of the services by the ids of the components. */
function takeComponents(
  components: StatuspageComponents['components'],
  into: Collector,
): ReadonlyMap<string, string> {
  const slugs = new Map<string, string>();
  const groups = new Map(components.filter(({ group }) => group).map(({ id, name }) => [id, name]));
  for (const component of components) {
    const { id, name, description, group_id: groupId, group, only_show_if_degraded: isShy } = component;
    if (group) continue;
    const groupName = groupId === null ? undefined : groups.get(groupId);
    const text = description?.replaceAll(/\s+/g, ' ').trim().slice(0, monitorLimits.descriptionChars);
    const slug = into.monitor(
      {
        ...{ type: 'manual', name },
        ...(groupName !== undefined && { group: into.group(groupName) }),
        ...(text && { description: text }),
      },
      isShy ? ['it was shown only while it was degraded, and is always shown here'] : [],
    );
    slugs.set(id, slug);
  }
  return slugs;
}

type Texts = { body: string; status: string; display_at: string | null }[];

function takeIncident(incident: Incident, services: readonly string[], into: Collector): void {
  const { name, impact, resolved_at: resolvedAt, started_at: startedAt, created_at: createdAt } = incident;
  if (resolvedAt === null) {
    into.leave(name, 'it is not over; open it here when you change over');
    return;
  }
  into.incident({
    ...{ type: 'incident', title: name, services, impact, ...textsOf(incident.incident_updates, name) },
    publishedAt: Date.parse(createdAt),
    startedAt: Date.parse(startedAt ?? createdAt),
    endedAt: Date.parse(resolvedAt),
  });
}

function takeMaintenance(maintenance: Maintenance, services: readonly string[], into: Collector): void {
  const { name, status, scheduled_for: from, scheduled_until: until, created_at: createdAt } = maintenance;
  if (status !== 'completed') {
    into.leave(name, 'it is not over; plan it here when you change over');
    return;
  }
  into.incident({
    ...{ type: 'maintenance', title: name, services, ...textsOf(maintenance.incident_updates, name) },
    ...{ publishedAt: Date.parse(createdAt), startedAt: Date.parse(from), endedAt: Date.parse(until) },
  });
}

/** The oldest update is what the incident was opened with. The end is a time, and no update of its own. */
function textsOf(newestFirst: Texts, title: string): Pick<ImportedIncident, 'summary' | 'updates'> {
  const [first, ...later] = newestFirst.toReversed();
  const updates = later.flatMap(({ body, status, display_at: at }) =>
    at === null || body.trim() === ''
      ? []
      : [{ at: Date.parse(at), status: updateStatuses.find((one) => one === status) ?? 'monitoring', body }],
  );
  return { summary: first?.body.trim() || title, updates };
}

function addressOf(text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new UsageError(`"${text}" is no address; give that of the page, such as https://status.example.com.`);
}

/** @throws UsageError */
async function read<T>(
  url: URL,
  check: { Check(value: unknown): value is T } & Parameters<typeof describeFirstError>[0],
) {
  const value = await readJson(url);
  if (check.Check(value)) return value;
  throw new UsageError(`${url.href} is not the API of Statuspage: ${describeFirstError(check, value)}`);
}

async function readJson(url: URL): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) });
    const text = await answer.text();
    if (!answer.ok || text.length > answerBytesMax) throw new Error(`it answered ${answer.status}`);
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${url.href} could not be read: ${error instanceof Error ? error.message : error}`);
  }
}

import type { FileMonitor } from '../../contract/manage/apply-monitor.js';
import { monitorGroupsMax } from '../../contract/manage/monitor-groups.js';
import { ManagedMonitor, type PutMonitor } from '../../contract/manage/monitors.js';
import { monitorLimits } from '../../contract/monitors.js';
import { type MonitorSettings, parseNewMonitor } from '../../control/monitors/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Change, Plan } from '../apply/change.js';
import { readDesired } from '../apply/desired.js';
import { planChanges } from '../apply/plan.js';
import { listGroups } from '../apply/plan-groups.js';
import type { MadeAddress } from '../apply/run-plan.js';
import type { Client } from '../client/client.js';
import { listMonitors } from '../monitor/requests.js';
import type { Imported, ImportedMonitor, Left } from './imported.js';
import { type Matched, matchMonitors } from './match-monitors.js';
import { hideCredentials, sayNote } from './request.js';

/** The changes that an import would make, and the rows it leaves. */
export type ImportPlan = {
  plan: Plan;
  /** Slugs of the monitors that are on the page, or would be. */
  slugs: ReadonlyMap<ImportedMonitor, string>;
  left: Left[];
  /** New monitors that are taken with another value than theirs, which no monitor can have. */
  mended: Left[];
  /** Notes about new monitors have their slug; notes about the file have none. */
  notes: { slug: string | null; note: string }[];
  /** Slugs of new monitors that are paused. */
  paused: string[];
};

/** Plans the monitors and groups that the page lacks, and leaves the ones that the service would refuse. */
export async function planImport(client: Client, page: string, imported: Imported): Promise<ImportPlan> {
  const path = await client.pathOf(page);
  const present = { groups: await listGroups(client, path), monitors: await listMonitors(client, path) };
  const matched = matchMonitors(imported.monitors, present);
  const fresh = matched.filter(({ isNew }) => isNew);
  const left: Left[] = [...imported.left];
  const rooms = { monitors: monitorLimits.monitorsPerPage - present.monitors.length };
  const groups = new Map(present.groups.map(({ slug, name }) => [slug, name]));
  const taken: Matched[] = [];
  for (const one of fresh) {
    const why = problemOf(one) ?? (taken.length < rooms.monitors ? undefined : pageIsFull);
    if (why === undefined) taken.push(one);
    else left.push({ name: hideCredentials(one.monitor.settings.name), why: hideCredentials(why) });
  }
  const notes: ImportPlan['notes'] = [];
  const mended: Left[] = [];
  const monitors: Record<string, FileMonitor> = {};
  const newGroups: Record<string, { name: string }> = {};
  for (const { slug, groupSlug, monitor } of taken) {
    const name = monitor.group;
    const isKnown = groupSlug !== undefined && groups.has(groupSlug);
    const fits = isKnown || groups.size < monitorGroupsMax;
    if (groupSlug !== undefined && name !== undefined && !isKnown && fits) {
      groups.set(groupSlug, name);
      newGroups[groupSlug] = { name };
    }
    monitors[slug] = { ...monitor.settings, ...(groupSlug !== undefined && fits && { group: groupSlug }) };
    notes.push(...monitor.notes.map((note) => ({ slug, note: sayNote(note) })));
    for (const note of monitor.notes) {
      if (typeof note !== 'string') mended.push({ name: monitor.settings.name, why: note.mended });
    }
    if (monitor.isPaused) {
      const isChecked = monitor.settings.type !== 'manual';
      const then = isChecked ? ', and is paused here' : ': a service without checks has nothing to pause';
      notes.push({ slug, note: `it was paused${then}` });
    }
    if (!fits) notes.push({ slug, note: `the page has ${monitorGroupsMax} groups, so it is in none` });
  }
  const file = { value: { page: { slug: page }, groups: newGroups, monitors }, placeOf: () => page };
  const desired = readDesired(file, () => undefined);
  const plan = await planChanges(client, { desired, prunes: false });
  const secretUrls = new Set(taken.flatMap(({ slug, monitor }) => (monitor.hasSecretUrl ? slug : [])));
  return {
    plan: { ...plan, changes: plan.changes.map((change) => withoutSecret(change, secretUrls)), kept: [] },
    slugs: new Map(
      [...matched.filter(({ isNew }) => !isNew), ...taken].map((one) => [one.monitor, one.slug]),
    ),
    ...{ left, mended },
    notes: [...imported.notes.map((note) => ({ slug: null, note })), ...notes],
    paused: taken.flatMap(({ slug, monitor }) =>
      monitor.isPaused && monitor.settings.type !== 'manual' ? slug : [],
    ),
  };
}

const pageIsFull = `a page has at most ${monitorLimits.monitorsPerPage} monitors`;

/** Why the service would refuse a monitor. */
function problemOf({ slug, monitor: { settings } }: Matched): string | undefined {
  const { headers = {}, ...rest } = settings;
  const put = { ...rest, headers: Object.entries(headers).map(([name, value]) => ({ name, value })) };
  const sent = settings.headers === undefined ? rest : put;
  try {
    parseNewMonitor({ ...toSettings(sent), slug, kind: settings.type, name: settings.name });
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}

/** The settings of a body under the names of the verbs; null stands for the default, and for none. */
function toSettings({ headers, body, ...fields }: PutMonitor): MonitorSettings {
  const { type, name, slug, names, descriptions, ...settings } = fields;
  const given = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(names && { names }),
    ...(descriptions && { descriptions }),
    ...(headers !== undefined && {
      headers: (headers ?? []).map((header) => [header.name, header.value] as const),
    }),
    ...(body !== undefined && { body: body ?? '' }),
  };
}

function withoutSecret(change: Change, secretUrls: ReadonlySet<string>): Change {
  if (change.noun !== 'monitor' || !secretUrls.has(change.name)) return change;
  const fields = change.fields.map((field) =>
    field.field === 'url' ? { ...field, after: '(from the environment, not shown)' } : field,
  );
  return { ...change, fields };
}

/**
 * Makes the changes of a plan, and pauses what was paused. What the service refuses all the same, such as a monitor that
 * somebody created meanwhile, is left and does not keep the others from being made.
 *
 * @throws ServiceError when the service cannot be reached, and for what refuses every change
 */
export async function runImport(
  client: Client,
  { plan, paused }: ImportPlan,
): Promise<{ addresses: MadeAddress[]; left: Left[]; made: Change[] }> {
  const addresses: MadeAddress[] = [];
  const left: Left[] = [];
  const made: Change[] = [];
  for (const change of plan.changes) {
    try {
      const { address } = await change.make();
      if (address !== undefined) addresses.push({ monitor: change.name, url: address });
      if (change.noun === 'monitor' && paused.includes(change.name)) {
        const path = `${await client.pathOf(plan.page)}/monitors/${change.name}`;
        await client.send('POST', `${path}/pause`, { answer: ManagedMonitor });
      }
      made.push(change);
    } catch (error) {
      if (!(error instanceof ServiceError) || !isOfOneRow(error)) throw error;
      left.push({ name: change.name, why: hideCredentials(error.message) });
    }
  }
  return { addresses, left, made };
}

const isOfOneRow = ({ kind }: ServiceError) => kind === 'invalidBody' || kind === 'conflict';

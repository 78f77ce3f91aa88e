import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { monitorLimits } from '../../contract/monitors.js';
import { listMonitors, putMonitor, removeMonitor } from '../monitor/requests.js';
import {
  type Change,
  differences,
  nothing,
  type PlanInput,
  type PlanOn,
  type PlanPart,
  withDeletes,
} from './change.js';
import { type DesiredMonitor, monitorFields } from './desired.js';
import { inOrder } from './in-order.js';
import { FileError } from './read-file.js';

/** Plans the monitors of the page, in the order of the file, but for those that others before them depend on. */
export async function planMonitors(
  { client, path: pagePath, exists }: PlanOn,
  { desired: { monitors: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const pathOf = (slug: string) => `${pagePath}/monitors/${slug}`;
  const present = exists ? await listMonitors(client, pagePath) : [];
  const plan = nothing();
  const remove = async (slug: string) => {
    await removeMonitor(client, pathOf(slug));
    return {};
  };
  const behind = new Map(wanted.map(({ slug, put }) => [slug, put.dependsOn ?? []]));
  for (const monitor of inOrder(wanted, behind)) {
    const { slug } = monitor;
    const place = placeOf(monitor.path);
    const before = present.find((one) => one.slug === slug);
    const put = () => putMonitor(client, pathOf(slug), monitor.put);
    const change = { noun: 'monitor', name: slug, fields: fieldsOf(before, monitor), place } as const;
    if (before === undefined) plan.makes.push({ ...change, verb: 'create', make: put });
    else if (before.type !== monitor.type) {
      if (!prunes) throw otherType(place, before, monitor);
      plan.makes.push({ ...change, verb: 'replace', make: () => remove(slug).then(put) });
    } else if (change.fields.length > 0) plan.makes.push({ ...change, verb: 'update', make: put });
    else if (monitor.sendsSecrets) plan.sends.push({ noun: 'monitor', name: slug, place, make: put });
  }
  const surplus = present.filter(({ slug }) => !wanted.some((monitor) => monitor.slug === slug));
  const deletes = surplus.map(
    ({ slug }): Change => ({
      ...{ verb: 'delete', noun: 'monitor', name: slug, fields: [] },
      make: () => remove(slug),
    }),
  );
  return withDeletes(plan, { deletes, prunes, room: monitorLimits.monitorsPerPage - present.length });
}

function fieldsOf(before: ManagedMonitor | undefined, { fields, hasSecrets }: DesiredMonitor) {
  const had = before?.hasSecrets ?? false;
  const secrets =
    hasSecrets === undefined || hasSecrets === had
      ? []
      : [{ field: 'headers and body', before: shown(had), after: shown(hasSecrets) }];
  return [...differences(before && monitorFields(before), fields), ...secrets];
}

function shown(hasSecrets: boolean): string | null {
  return hasSecrets ? '(some, not shown)' : null;
}

function otherType(place: string, { slug, type }: ManagedMonitor, wanted: DesiredMonitor): FileError {
  return new FileError(
    `${place}: The monitor "${slug}" is of type ${type} and cannot become ${wanted.type}; with --prune it is deleted and made again, without its history.`,
  );
}

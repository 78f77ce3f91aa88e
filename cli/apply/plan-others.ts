import { observationLimits } from '../../contract/observations.js';
import { type Change, differences, nothing, type PlanInput, type PlanPart, withDeletes } from './change.js';
import type { Installation } from './installation.js';
import { FileError } from './read-file.js';

/** Plans the alert rule of the page. */
export async function planAlertRule(
  { alerts }: Installation,
  { desired: { slug: page, alertRule: wanted, placeOf }, prunes }: PlanInput,
  pageExists: boolean,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const before = pageExists ? await alerts.find(page) : null;
  const change = { noun: 'alert rule', name: page } as const;
  if (wanted === null) {
    if (before === null) return nothing();
    const make = async () => {
      await alerts.remove(page);
      return {};
    };
    const deletes: Change[] = [{ ...change, verb: 'delete', fields: [], make }];
    return prunes ? { ...nothing(), deletes } : { ...nothing(), kept: deletes };
  }
  const fields = differences(before ?? undefined, wanted);
  if (fields.length === 0) return nothing();
  const make = async () => {
    await alerts.set(page, wanted);
    return {};
  };
  const verb = before === null ? 'create' : 'update';
  return { ...nothing(), makes: [{ ...change, verb, fields, place: placeOf(['alertRule']), make }] };
}

/** Plans the database connections of the page, which their names tell apart. */
export async function planConnections(
  { connections }: Installation,
  { desired: { slug: page, connections: wanted, placeOf }, prunes }: PlanInput,
  pageExists: boolean,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const present = pageExists ? await connections.list(page) : [];
  const plan = nothing();
  const remove = async (id: string) => {
    await connections.remove({ id, page });
    return {};
  };
  for (const { name, engine, path } of wanted) {
    const before = present.find((connection) => connection.name === name);
    const place = placeOf(path);
    const fields = differences(before && { engine: before.engine }, { engine });
    const change = { noun: 'connection', name, fields, place } as const;
    const create = async () => {
      await connections.create(page, { name, engine });
      return {};
    };
    if (before === undefined) plan.makes.push({ ...change, verb: 'create', make: create });
    else if (fields.length > 0) {
      if (!prunes) {
        throw new FileError(
          `${place}: The connection "${name}" is of the engine ${before.engine}, which cannot change; with --prune it is deleted and made again, under another id.`,
        );
      }
      plan.makes.push({ ...change, verb: 'replace', make: () => remove(before.id).then(create) });
    }
  }
  const deletes = present
    .filter(({ name }) => !wanted.some((connection) => connection.name === name))
    .map(({ id, name }): Change => {
      return { verb: 'delete', noun: 'connection', name, fields: [], make: () => remove(id) };
    });
  const room = observationLimits.connectionsPerPage - present.length;
  return withDeletes(plan, { deletes, prunes, room });
}

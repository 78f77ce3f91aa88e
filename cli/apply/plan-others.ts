import { ManagedConnection } from '../../contract/manage/connections.js';
import { observationLimits } from '../../contract/observations.js';
import { findRule, removeRule, setRule } from '../alert.js';
import { Nothing } from '../client/client.js';
import { listConnections } from '../connection.js';
import { loadReportSettings, putReportSettings } from '../report.js';
import {
  type Change,
  differences,
  nothing,
  type PlanInput,
  type PlanOn,
  type PlanPart,
  withDeletes,
} from './change.js';
import { reportFields } from './desired.js';
import { FileError } from './read-file.js';

/** Plans the alert rule of the page. */
export async function planAlertRule(
  { client, path, exists }: PlanOn,
  { desired: { slug: page, alertRule: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const before = exists ? await findRule(client, path) : null;
  const change = { noun: 'alert rule', name: page } as const;
  if (wanted === null) {
    if (before === null) return nothing();
    const make = async () => {
      await removeRule(client, path);
      return {};
    };
    const deletes: Change[] = [{ ...change, verb: 'delete', fields: [], make }];
    return prunes ? { ...nothing(), deletes } : { ...nothing(), kept: deletes };
  }
  const fields = differences(before ?? undefined, wanted);
  if (fields.length === 0) return nothing();
  const make = async () => {
    await setRule(client, path, wanted);
    return {};
  };
  const verb = before === null ? 'create' : 'update';
  return { ...nothing(), makes: [{ ...change, verb, fields, place: placeOf(['alertRule']), make }] };
}

/** Plans who gets the reports of the page. */
export async function planReports(
  { client, path, exists }: PlanOn,
  { desired: { slug: page, reports: wanted, placeOf } }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const before = reportFields(exists ? await loadReportSettings(client, path) : { every: null });
  const fields = differences(before, wanted);
  if (fields.length === 0) return nothing();
  const make = async () => {
    await putReportSettings(client, path, wanted);
    return {};
  };
  const change: Change = {
    noun: 'reports',
    name: page,
    verb: 'update',
    fields,
    place: placeOf(['reports']),
    make,
  };
  return { ...nothing(), makes: [change] };
}

/** Plans the database connections of the page, which their names tell apart. */
export async function planConnections(
  { client, path: pagePath, exists }: PlanOn,
  { desired: { connections: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const list = `${pagePath}/connections`;
  const present = exists ? await listConnections(client, pagePath) : [];
  const plan = nothing();
  const remove = async (id: string) => {
    await client.send('DELETE', `${list}/${id}`, { answer: Nothing });
    return {};
  };
  for (const { name, engine, path } of wanted) {
    const before = present.find((connection) => connection.name === name);
    const place = placeOf(path);
    const fields = differences(before && { engine: before.engine }, { engine });
    const change = { noun: 'connection', name, fields, place } as const;
    const create = async () => {
      await client.send('POST', list, { answer: ManagedConnection, body: { name, engine } });
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

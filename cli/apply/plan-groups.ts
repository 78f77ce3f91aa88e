import { MonitorGroup, monitorGroupsMax } from '../../contract/manage/monitor-groups.js';
import { type Client, Nothing } from '../client/client.js';
import {
  type Change,
  differences,
  nothing,
  type PlanInput,
  type PlanOn,
  type PlanPart,
  withDeletes,
} from './change.js';

const fieldsOf = ({ name, names, collapsed }: MonitorGroup) => ({ name, names, collapsed });

/** The groups of the page with the path, in its order. */
export function listGroups(client: Client, path: string): Promise<MonitorGroup[]> {
  return client.list(`${path}/groups`, MonitorGroup);
}

/** Plans the groups of monitors of the page, in the order of the file. */
export async function planGroups(
  { client, path: pagePath, exists }: PlanOn,
  { desired: { groups: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const list = `${pagePath}/groups`;
  const present = exists ? await listGroups(client, pagePath) : [];
  const plan = nothing();
  for (const { slug, path, ...put } of wanted) {
    const before = present.find((group) => group.slug === slug);
    const fields = differences(before && fieldsOf(before), put);
    if (fields.length === 0) continue;
    const verb = before === undefined ? 'create' : 'update';
    const make = async () => {
      await client.send('PUT', `${list}/${slug}`, { answer: MonitorGroup, body: put });
      return {};
    };
    plan.makes.push({ verb, noun: 'group', name: slug, fields, place: placeOf(path), make });
  }
  const deletes = present
    .filter(({ slug }) => !wanted.some((group) => group.slug === slug))
    .map(({ slug }): Change => {
      const make = async () => {
        await client.send('DELETE', `${list}/${slug}`, { answer: Nothing });
        return {};
      };
      return { verb: 'delete', noun: 'group', name: slug, fields: [], make };
    });
  return withDeletes(plan, { deletes, prunes, room: monitorGroupsMax - present.length });
}

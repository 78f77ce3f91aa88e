import { MonitorGroup, monitorGroupsMax } from '../../contract/manage/monitor-groups.js';
import type { Client } from '../client/client.js';
import { nothing, type PlanInput, type PlanOn, type PlanPart } from './change.js';
import { planBySlug, type SlugSection } from './plan-by-slug.js';

const groups: SlugSection<MonitorGroup> = {
  ...{ noun: 'group', list: '/groups', answer: MonitorGroup, most: monitorGroupsMax },
  fieldsOf: ({ name, names, collapsed }) => ({ name, names, collapsed }),
};

/** The groups of the page with the path, in its order. */
export function listGroups(client: Client, path: string): Promise<MonitorGroup[]> {
  return client.list(`${path}${groups.list}`, MonitorGroup);
}

/** Plans the groups of monitors of the page, in the order of the file. */
export async function planGroups(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  if (input.desired.groups === undefined) return nothing();
  const wanted = input.desired.groups.map(({ slug, path, ...put }) => ({ slug, path, fields: put, put }));
  const present = on.exists ? await listGroups(on.client, on.path) : [];
  return planBySlug(on, input, groups, { wanted, present });
}

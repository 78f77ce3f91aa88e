import { type MonitorGroup, monitorGroupsMax } from '../../contract/manage/monitor-groups.js';
import { type Change, differences, nothing, type PlanInput, type PlanPart, withDeletes } from './change.js';
import type { Installation } from './installation.js';

const fieldsOf = ({ name, names, collapsed }: MonitorGroup) => ({ name, names, collapsed });

/** Plans the groups of monitors of the page, in the order of the file. */
export async function planGroups(
  { groups }: Installation,
  { desired: { slug: page, groups: wanted, placeOf }, prunes }: PlanInput,
  pageExists: boolean,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const present = pageExists ? await groups.list(page) : [];
  const plan = nothing();
  for (const { slug, path, ...put } of wanted) {
    const before = present.find((group) => group.slug === slug);
    const fields = differences(before && fieldsOf(before), put);
    if (fields.length === 0) continue;
    const verb = before === undefined ? 'create' : 'update';
    const make = async () => {
      await groups.put(page, slug, put);
      return {};
    };
    plan.makes.push({ verb, noun: 'group', name: slug, fields, place: placeOf(path), make });
  }
  const deletes = present
    .filter(({ slug }) => !wanted.some((group) => group.slug === slug))
    .map(({ slug }): Change => {
      const make = async () => {
        await groups.remove(page, slug);
        return {};
      };
      return { verb: 'delete', noun: 'group', name: slug, fields: [], make };
    });
  return withDeletes(plan, { deletes, prunes, room: monitorGroupsMax - present.length });
}

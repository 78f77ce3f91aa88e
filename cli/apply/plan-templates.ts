import { templateLimits } from '../../contract/manage/incidents/templates.js';
import { type Change, differences, nothing, type PlanInput, type PlanPart, withDeletes } from './change.js';
import { templateFields } from './desired.js';
import type { Installation } from './installation.js';

/** Plans the templates of incidents of the page. */
export async function planTemplates(
  { templates }: Installation,
  { desired: { slug: page, templates: wanted, placeOf }, prunes }: PlanInput,
  pageExists: boolean,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const present = pageExists ? await templates.list(page) : [];
  const plan = nothing();
  for (const { slug, put, path } of wanted) {
    const before = present.find((template) => template.slug === slug);
    const fields = differences(before && templateFields(before), templateFields(put));
    if (fields.length === 0) continue;
    const verb = before === undefined ? 'create' : 'update';
    const make = async () => {
      await templates.put(page, slug, put);
      return {};
    };
    plan.makes.push({ verb, noun: 'template', name: slug, fields, place: placeOf(path), make });
  }
  const deletes = present
    .filter(({ slug }) => !wanted.some((template) => template.slug === slug))
    .map(({ slug }): Change => {
      const make = async () => {
        await templates.remove(page, slug);
        return {};
      };
      return { verb: 'delete', noun: 'template', name: slug, fields: [], make };
    });
  return withDeletes(plan, { deletes, prunes, room: templateLimits.perPage - present.length });
}

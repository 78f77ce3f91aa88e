import { Template, templateLimits } from '../../contract/manage/incidents/templates.js';
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
import { templateFields } from './desired.js';

/** The templates of the page with the path, by slug. */
export function listTemplates(client: Client, path: string): Promise<Template[]> {
  return client.list(`${path}/templates`, Template);
}

/** Plans the templates of incidents of the page. */
export async function planTemplates(
  { client, path: pagePath, exists }: PlanOn,
  { desired: { templates: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const list = `${pagePath}/templates`;
  const present = exists ? await listTemplates(client, pagePath) : [];
  const plan = nothing();
  for (const { slug, put, path } of wanted) {
    const before = present.find((template) => template.slug === slug);
    const fields = differences(before && templateFields(before), templateFields(put));
    if (fields.length === 0) continue;
    const verb = before === undefined ? 'create' : 'update';
    const make = async () => {
      await client.send('PUT', `${list}/${slug}`, { answer: Template, body: put });
      return {};
    };
    plan.makes.push({ verb, noun: 'template', name: slug, fields, place: placeOf(path), make });
  }
  const deletes = present
    .filter(({ slug }) => !wanted.some((template) => template.slug === slug))
    .map(({ slug }): Change => {
      const make = async () => {
        await client.send('DELETE', `${list}/${slug}`, { answer: Nothing });
        return {};
      };
      return { verb: 'delete', noun: 'template', name: slug, fields: [], make };
    });
  return withDeletes(plan, { deletes, prunes, room: templateLimits.perPage - present.length });
}

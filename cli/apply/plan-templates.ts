import { Template, templateLimits } from '../../contract/manage/incidents/templates.js';
import type { Client } from '../client/client.js';
import { nothing, type PlanInput, type PlanOn, type PlanPart } from './change.js';
import { templateFields } from './desired.js';
import { planBySlug, type SlugSection } from './plan-by-slug.js';

const templates: SlugSection<Template> = {
  ...{ noun: 'template', list: '/templates', answer: Template, most: templateLimits.perPage },
  fieldsOf: templateFields,
};

/** The templates of the page with the path, by slug. */
export function listTemplates(client: Client, path: string): Promise<Template[]> {
  return client.list(`${path}${templates.list}`, Template);
}

/** Plans the templates of incidents of the page. */
export async function planTemplates(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  if (input.desired.templates === undefined) return nothing();
  const wanted = input.desired.templates.map((one) => ({ ...one, fields: templateFields(one.put) }));
  const present = on.exists ? await listTemplates(on.client, on.path) : [];
  return planBySlug(on, input, templates, { wanted, present });
}

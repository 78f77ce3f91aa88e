import type { IncidentType } from '../../contract/incidents.js';
import { type Template as TemplateJson, templateLimits } from '../../contract/manage/incidents/templates.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { boundText } from '../incidents/index.js';

/** The texts and services with which an incident or maintenance begins. */
export type Template = TemplateFields & { slug: string; createdAt: Date; updatedAt: Date };

/** The texts are in the default language of the page; `texts` has those in other languages. */
export type TemplateFields = Pick<
  TemplateJson,
  'name' | 'title' | 'summary' | 'monitorSlugs' | 'updates' | 'texts'
> & { type: IncidentType };

type Row = Template & { languages: string[]; defaultLanguage: string };

/** Lists at most `limit` templates of a page, all by default, by slug, behind the slug `after`. */
export async function listTemplates(
  { sql }: { sql: Sql },
  {
    pageId,
    limit = templateLimits.perPage,
    after,
  }: { pageId: PageId; limit?: number; after?: string | undefined },
): Promise<Template[]> {
  return selectTemplates(
    sql,
    sql`t.page_id = ${pageId} and t.slug > ${after ?? ''} order by t.slug limit ${limit}`,
  );
}

/** @throws ServiceError `notFound` when the page has no such template */
export async function findTemplate({ sql }: { sql: Sql }, ref: TemplateRef): Promise<Template> {
  const template = await loadTemplate(sql, ref);
  if (template === undefined) throw new ServiceError('notFound');
  return template;
}

export type TemplateRef = { pageId: PageId; slug: string };

/** Returns the template, or `undefined` when the page has none with the slug. */
export async function loadTemplate(
  sql: Sql | Transaction,
  { pageId, slug }: TemplateRef,
): Promise<Template | undefined> {
  const [template] = await selectTemplates(sql, sql`t.page_id = ${pageId} and t.slug = ${slug}`);
  return template;
}

/** Monitors and languages that the page no longer has are not there, so that what begins from a template is possible. */
async function selectTemplates(sql: Sql | Transaction, condition: Fragment): Promise<Template[]> {
  const rows = await sql<Row[]>`
    select t.slug, t.name, t.type, t.title, t.summary, t.updates, t.texts,
      array(select s.slug from unnest(t.monitor_slugs) with ordinality s (slug, place)
        join monitors m on m.page_id = t.page_id and m.slug = s.slug order by s.place) as "monitorSlugs",
      t.created_at as "createdAt", t.updated_at as "updatedAt",
      p.languages, p.default_language as "defaultLanguage"
    from incident_templates t join pages p on p.id = t.page_id
    where ${condition}`;
  return rows.map(({ languages, defaultLanguage, ...template }) => ({
    ...template,
    texts: Object.fromEntries(
      Object.entries(template.texts).filter(([tag]) => tag !== defaultLanguage && languages.includes(tag)),
    ),
  }));
}

/** Writes the row of a change into the audit log. */
export function recordTemplate(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, before, after }: { pageId: PageId; before: Template | null; after: Template | null },
): Promise<void> {
  const target = after ?? before;
  if (target === null) throw new Error('A change has a template.');
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  return recordChange(tx, audit, {
    pageId,
    action: `template.${verb}`,
    target: { type: 'template', id: target.slug, name: target.name },
    before: before && auditedFields(before),
    after: after && auditedFields(after),
  });
}

/** Long texts are cut off, and end with their hash. */
function auditedFields({ name, type, title, summary, monitorSlugs, updates, texts }: Template) {
  return {
    ...{ name, type, title, monitorSlugs },
    summary: boundText(summary),
    updates: updates.map(({ status, body }) => ({ status, body: boundText(body) })),
    texts: Object.fromEntries(
      Object.entries(texts).map(([language, text]) => [
        language,
        {
          ...text,
          ...(text.summary !== undefined && { summary: boundText(text.summary) }),
          ...(text.updates && { updates: text.updates.map((body) => body && boundText(body)) }),
        },
      ]),
    ),
  };
}

/** Returns a template as answers and files have it. */
export function templateJson({ slug, createdAt, updatedAt, ...fields }: Template): TemplateJson {
  const { name, type, title, summary, monitorSlugs, updates, texts } = fields;
  return {
    ...{ slug, name, type, title, summary, monitorSlugs, updates, texts },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

import { isDeepStrictEqual } from 'node:util';
import { isLine, lineRule } from '../../contract/line.js';
import { templateLimits } from '../../contract/manage/incidents/templates.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { refuseUnknownMonitors } from '../incidents/index.js';
import {
  loadTemplate,
  recordTemplate,
  type Template,
  type TemplateFields,
  type TemplateRef,
} from './template.js';

export type PutTemplate = { template: Template; isNew: boolean };

/**
 * Creates the template with this slug, or replaces its fields. The same fields again change nothing.
 *
 * @param fields those that parseTemplate() returns.
 * @param check gets the template as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `invalidBody` for a slug that cannot be one, for a new name that is no line, for monitors and languages that the page does not
 *   have, and for texts in its default language; `conflict` when it has as many as it may have; what `check` throws.
 */
export async function putTemplate(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, slug, fields }: TemplateRef & { fields: TemplateFields },
  check?: (current: Template | undefined) => void,
): Promise<PutTemplate> {
  checkSlug(slug);
  return inTransaction(sql, async (tx) => {
    const languages = await lockPage(tx, pageId);
    const before = await loadTemplate(tx, { pageId, slug });
    check?.(before);
    if (fields.name !== before?.name) checkName(fields.name);
    refuseLanguages(languages, Object.keys(fields.texts));
    await refuseUnknownMonitors(tx, pageId, fields.monitorSlugs);
    if (before === undefined) await refuseTooMany(tx, pageId);
    else if (isSame(before, fields)) return { template: before, isNew: false };
    const now = clock.now();
    const at = new Date(now);
    await write(tx, pageId, { ...fields, slug, createdAt: before?.createdAt ?? at, updatedAt: at });
    // As it is stored: every later answer has the same entity tag.
    const template = await loadTemplate(tx, { pageId, slug });
    if (template === undefined) throw new Error('The template that was just written is gone.');
    await recordTemplate(tx, { by, now }, { pageId, before: before ?? null, after: template });
    return { template, isNew: before === undefined };
  });
}

/** @throws ServiceError `invalidBody` */
function checkName(name: string): void {
  if (isLine('line', name)) return;
  throw new ServiceError('invalidBody', { message: `/name ${lineRule('line')}.` });
}

function isSame(
  { slug: _, createdAt: _created, updatedAt: _updated, ...before }: Template,
  after: TemplateFields,
) {
  return isDeepStrictEqual(before, after);
}

async function write(tx: Transaction, pageId: PageId, template: Template): Promise<void> {
  const { name, type, title, summary, monitorSlugs, updates, texts, updatedAt } = template;
  const fields = {
    ...{ name, type, title, summary, monitor_slugs: monitorSlugs, updated_at: updatedAt },
    ...{ updates: tx.json(updates), texts: tx.json(texts) },
  };
  const row = { page_id: pageId, slug: template.slug, created_at: template.createdAt, ...fields };
  await tx`
    insert into incident_templates ${tx(row)}
    on conflict (page_id, slug) do update set ${tx(fields)}`;
}

/** Templates are counted, and the languages of the page stay, under the lock of the page. */
async function lockPage(
  tx: Transaction,
  pageId: PageId,
): Promise<{ all: string[]; defaultLanguage: string }> {
  const [page] = await tx<{ all: string[]; defaultLanguage: string }[]>`
    select languages as all, default_language as "defaultLanguage" from pages where id = ${pageId}
    for no key update`;
  if (page === undefined) throw new ServiceError('notFound');
  return page;
}

function refuseLanguages(
  { all, defaultLanguage }: { all: readonly string[]; defaultLanguage: string },
  given: readonly string[],
): void {
  const others = all.filter((language) => language !== defaultLanguage);
  const wrong = given.find((language) => !others.includes(language));
  if (wrong === undefined) return;
  const known = others.length === 0 ? 'it has none' : `those are ${others.join(', ')}`;
  throw new ServiceError('invalidBody', {
    message: `/texts must have languages of the page besides its default one; ${known}, and ${describeSent(wrong, 'language')} is not one of them.`,
  });
}

async function refuseTooMany(tx: Transaction, pageId: PageId): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from incident_templates where page_id = ${pageId}`;
  if ((row?.count ?? 0) < templateLimits.perPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${templateLimits.perPage} templates, which is the most; delete one first.`,
  });
}

/**
 * Deletes a template. Incidents that began from it stay as they are.
 *
 * @param check gets the template as it is, and may refuse by throwing.
 * @throws ServiceError `notFound`; `conflict` that names a rule which opens incidents with it; what `check` throws.
 */
export async function deleteTemplate(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, slug }: TemplateRef,
  check?: (current: Template) => void,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`select 1 from incident_templates where page_id = ${pageId} and slug = ${slug} for update`;
    const before = await loadTemplate(tx, { pageId, slug });
    if (before === undefined) throw new ServiceError('notFound');
    check?.(before);
    const [rule] = await tx<{ slug: string }[]>`
      select slug from rules where page_id = ${pageId} and opens_incident ->> 'template' = ${slug} order by slug limit 1`;
    if (rule !== undefined) {
      throw new ServiceError('conflict', {
        message: `The rule "${rule.slug}" opens incidents with this template; give it another one first.`,
      });
    }
    await tx`delete from incident_templates where page_id = ${pageId} and slug = ${slug}`;
    await recordTemplate(tx, { by, now: clock.now() }, { pageId, before, after: null });
  });
}

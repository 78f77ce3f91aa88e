import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { loadTemplate, recordTemplate, type Template, type TemplateRef } from './template.js';

/**
 * Deletes a template. Incidents that began from it stay as they are.
 *
 * @param check gets the template as it is, and may refuse by throwing.
 * @throws ServiceError `notFound`; what `check` throws.
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
    await tx`delete from incident_templates where page_id = ${pageId} and slug = ${slug}`;
    await recordTemplate(tx, { by, now: clock.now() }, { pageId, before, after: null });
  });
}

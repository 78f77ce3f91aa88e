import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../../audit/index.js';

/** Writes an import of a page's history into the audit log: one row, however much was imported. */
export async function recordImport(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  pageId: PageId,
  imported: AuditedFields,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [page] = await tx<{ slug: string }[]>`select slug from pages where id = ${pageId}`;
    await recordChange(
      tx,
      { by, now: clock.now() },
      {
        pageId,
        action: 'monitor.import',
        target: { type: 'page', id: pageId, name: page?.slug ?? '' },
        before: null,
        after: imported,
      },
    );
  });
}

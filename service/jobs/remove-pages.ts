import { awaitCopies } from '../../control/copies/index.js';
import { listPagesToRemove, markPageRemoved } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import { removePageFigures } from '../../sql/remove-page-figures.js';
import { removePageRows } from '../../sql/remove-page-rows.js';
import type { JobDeps } from './job.js';

/**
 * Tables whose rows outlive their page. Instances learn from the rows of keys that the keys have stopped, and the audit
 * log is kept whole.
 */
const kept = ['keys', 'audit_log'];

/**
 * Removes the rows of deleted pages from both stores. The event store of a page's owner stays as it is. Each page is
 * marked after its last row, so that a run that is cut off is repeated; and once more an hour after the deletion, for
 * what was on its way when the page was deleted.
 *
 * @throws Error when the rows of some pages were not removed, after the rows of all others were.
 */
export async function removePages(
  deps: Pick<JobDeps, 'sql' | 'clickhouse' | 'cluster' | 'clock' | 'log'>,
): Promise<void> {
  const pages = await listPagesToRemove(deps);
  let failures = 0;
  for (const pageId of pages) {
    try {
      await removePage(deps, pageId);
    } catch (err) {
      failures += 1;
      deps.log.error({ pageId, err }, 'The rows of a deleted page were not removed.');
    }
  }
  if (failures > 0)
    throw new Error(`The rows of ${failures} of ${pages.length} deleted pages were not removed.`);
}

async function removePage(
  { sql, clickhouse, cluster, clock, log }: Parameters<typeof removePages>[0],
  pageId: PageId,
): Promise<void> {
  const startedAt = clock.now();
  const rows = await removePageRows(sql, { pageId, kept });
  // A copy on its way would bring its rows back.
  await awaitCopies(sql);
  await removePageFigures({ clickhouse, cluster }, pageId);
  await markPageRemoved({ sql }, { pageId, startedAt });
  log.info({ pageId, rows, ms: clock.now() - startedAt }, 'The rows of a deleted page were removed.');
}

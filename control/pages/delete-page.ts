import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { disablePageChannels } from '../channels/index.js';
import { revokePageKeys } from '../keys/index.js';
import { pausePageMonitors, stopPageHeartbeats } from '../monitors/index.js';
import { disablePageWebhooks } from '../webhooks/index.js';
import { recordPage } from './audit.js';
import { lockPage } from './change-page.js';
import { loadPageById, type Page } from './page.js';

/** Requests, checks and events of before the deletion have ended by then, and their rows are removed with a second look. */
const secondLookMs = hourMs;

/**
 * Deletes a page. Its keys, checks, pings, deliveries and alert rule stop, and nothing finds it any more; its slug and
 * host name are free. Other instances follow within 5 seconds. The job remove-pages then removes the rows that name the
 * page. The row of the page itself stays without a name, because the rows of its keys refer to it, and so do the rows of
 * the audit log, which stay as they are. `check` gets the page in the transaction, and may refuse the deletion.
 *
 * @throws ServiceError `notFound` when no page has the id; what `check` throws.
 */
export async function deletePage(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  pageId: PageId,
  check?: (page: Page) => void,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const { accountId, monitoringPaused } = await lockPage(tx, pageId);
    const before = await loadPageById(tx, pageId);
    check?.(before);
    const now = clock.now();
    await revokePageKeys(tx, pageId, now);
    if (!monitoringPaused) await pausePageMonitors(tx, pageId, now);
    await stopPageHeartbeats(tx, pageId);
    await disablePageWebhooks(tx, pageId, now);
    await disablePageChannels(tx, pageId, now);
    await bury(tx, pageId, now);
    await closeAccount(tx, accountId);
    await recordPage(tx, { by, now }, { before, after: null });
  });
}

/** Leaves of a page what the rows of its keys refer to: no name, no address and no person. */
async function bury(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  const unique = `deleted-${pageId.replaceAll('-', '')}`;
  await tx`
    update pages set deleted_at = ${new Date(now)}, slug = ${unique}, hostname = ${`${unique}.invalid`},
      name = 'Deleted page', owner_emails = '{}', footer_links = '[]', figures = '[]', accent = null,
      monitoring_paused = true, incidents_from_monitors = false, database_health_enabled = false
    where id = ${pageId}`;
}

/** Without capabilities, the jobs open and resolve no incident. An account with another page keeps them. */
async function closeAccount(tx: Transaction, accountId: string): Promise<void> {
  await tx`
    update accounts set name = 'Deleted account', incident_writes = false, internal_analytics = false,
      database_health = false
    where id = ${accountId}
      and not exists (select 1 from pages where account_id = ${accountId} and deleted_at is null)`;
}

/** Lists the pages that were deleted since then. */
export async function listDeletedPages({ sql }: { sql: Sql }, since: Date): Promise<PageId[]> {
  const rows = await sql<{ id: PageId }[]>`select id from pages where deleted_at >= ${since}`;
  return rows.map(({ id }) => id);
}

/** Lists the deleted pages whose rows are to be removed now: at once, and again an hour after the deletion. */
export async function listPagesToRemove({ sql, clock }: { sql: Sql; clock: Clock }): Promise<PageId[]> {
  const before = new Date(clock.now() - secondLookMs);
  const rows = await sql<{ id: PageId }[]>`
    select id from pages
    where deleted_at is not null and (rows_removed_at is null
      or (deleted_at <= ${before} and rows_removed_at < deleted_at + make_interval(secs => ${secondLookMs / 1000})))
    order by deleted_at`;
  return rows.map(({ id }) => id);
}

/** Notes that the rows of a deleted page were removed. `startedAt` is when that began, in milliseconds since the epoch. */
export async function markPageRemoved(
  { sql }: { sql: Sql },
  { pageId, startedAt }: { pageId: PageId; startedAt: number },
): Promise<void> {
  await sql`update pages set rows_removed_at = ${new Date(startedAt)} where id = ${pageId}`;
}

import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';

const keptMs = 30 * 24 * 3_600_000;
/** Rows of one statement, so that none holds its locks for long. */
const chunkRows = 1_000;

type Deps = { sql: Sql; clock: Clock; log: Log };

/**
 * Deletes what is of no use any more: deliveries and emails that ended 30 days ago, announcements of that age from
 * which nothing is left, and translations of that age whose text the page shows nowhere. What is still pending stays.
 */
export async function pruneNotifications({ sql, clock, log }: Deps): Promise<void> {
  const before = new Date(clock.now() - keptMs);
  const webhookDeliveries = await inChunks(() => pruneDeliveries(sql, before));
  const emails = await inChunks(() => pruneEmails(sql, before));
  const announcements = await inChunks(() => pruneAnnouncements(sql, before));
  let translations = 0;
  for (const pageId of await readPagesOfTranslations(sql, before)) {
    translations += await inChunks(() => pruneTranslations(sql, pageId, before));
  }
  log.info({ webhookDeliveries, emails, announcements, translations }, 'Old notifications were deleted.');
}

/** Repeats a deletion until it finds less than a chunk; answers how many rows went. */
async function inChunks(deleteChunk: () => Promise<number>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await deleteChunk();
    deleted += count;
    if (count < chunkRows) return deleted;
  }
}

async function pruneDeliveries(sql: Sql, before: Date): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries
      where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
      and finished_at < ${before}`;
  return count;
}

async function pruneEmails(sql: Sql, before: Date): Promise<number> {
  const { count } = await sql`
    delete from emails where id in (
      select id from emails where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
      and finished_at < ${before}`;
  return count;
}

/** Deleting an announcement deletes its deliveries and emails, so those that are left have to be gone before. */
async function pruneAnnouncements(sql: Sql, before: Date): Promise<number> {
  const { count } = await sql`
    delete from announcements where id in (
      select a.id from announcements a
      where a.created_at < ${before} and a.webhooks_queued_at is not null and a.emails_queued_at is not null
        and not exists (select 1 from webhook_deliveries d where d.announcement_id = a.id)
        and not exists (select 1 from emails e where e.announcement_id = a.id)
      limit ${chunkRows})`;
  return count;
}

async function readPagesOfTranslations(sql: Sql, before: Date): Promise<PageId[]> {
  const rows = await sql<{ page_id: PageId }[]>`
    select distinct page_id from translations where created_at < ${before}`;
  return rows.map(({ page_id: pageId }) => pageId);
}

/** The lock on the page waits for changes of its texts that are under way, and keeps others waiting meanwhile. */
async function pruneTranslations(sql: Sql, pageId: PageId, before: Date): Promise<number> {
  return inTransaction(sql, async (tx) => {
    await tx`select 1 from pages where id = ${pageId} for update`;
    const { count } = await tx`
      with shown as materialized (
        select title as text from incidents where page_id = ${pageId}
        union select summary from incidents where page_id = ${pageId}
        union select u.body from incident_updates u join incidents i on i.id = u.incident_id
        where i.page_id = ${pageId}
      )
      delete from translations where (page_id, source_hash, source_language, language) in (
        select t.page_id, t.source_hash, t.source_language, t.language from translations t
        where t.page_id = ${pageId} and t.created_at < ${before}
          and not exists (select 1 from shown where shown.text = t.source_text)
        limit ${chunkRows})`;
    return count;
  });
}

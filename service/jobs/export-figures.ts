import { exportStatement } from '../../analytics/exports/export-statement.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import { exportFormats } from '../../contract/exported-tables.js';
import { type ExportPiece, exportHours } from '../../control/figure-exports/index.js';
import type { PageId } from '../../lib/ids.js';
import { createEgress } from '../../lib/outbound/egress.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { JobDeps } from './job.js';

/**
 * Puts the hours that are over into the buckets of pages, which are read through the checks and limits of the page's SQL, and in its
 * turns. Without SQL of pages, as in the command line, nothing is exported.
 */
export async function exportFigures(deps: JobDeps): Promise<void> {
  const { pageSql, outgoing } = deps;
  if (pageSql === undefined || outgoing === undefined) return;
  const { secretKey, allowPrivateAddresses } = outgoing;
  await exportHours({
    ...{ ...deps, secretKey, egress: createEgress({ allowPrivateAddresses }) },
    readPiece: (pageId, piece, signal) => readPiece(deps, pageSql, { pageId, piece, signal }),
    loadOldestWaiting: (pageId) => loadOldestWaiting(deps, pageId),
  });
}

type Read = { pageId: PageId; piece: ExportPiece; signal: AbortSignal };

async function readPiece(
  { clickhouseOf }: JobDeps,
  pageSql: PageSqlDeps,
  { pageId, piece: { table, format, from, to }, signal }: Read,
): Promise<Buffer> {
  // A page with a store of its own runs its SQL there.
  if ('loadRows' in clickhouseOf(pageId)) throw new ServiceError('ownEventStore');
  const input = { sql: exportStatement(table), format: exportFormats[format], times: { from, to } };
  return runPageSql(pageSql, pageId, input, signal);
}

/**
 * Returns when the oldest of a page's events arrived that this instance holds, and of all pages' events and pool reports that wait
 * in PostgreSQL, of whichever instance. The log of another instance is not known here; blocks that were given up do not
 * count, because nobody may ever bring them.
 */
async function loadOldestWaiting({ sql, settle }: JobDeps, pageId: PageId): Promise<number | undefined> {
  const waiting = await Promise.all([settle?.(pageId), loadOldestStored(sql)]);
  const known = waiting.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function loadOldestStored(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ oldest: Date | null }[]>`
    select least(
      (select min(created_at) from delivery_batches where store = 'default' and exhausted_at is null),
      (select min(p.created_at) from held_parts p join held_blocks h using (token) where h.store = 'default'),
      (select min(created_at) from pool_blocks)) as oldest`;
  return row?.oldest?.getTime();
}

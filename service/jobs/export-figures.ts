import { exportStatement } from '../../analytics/exports/export-statement.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import { exportFormats, waitHoursMax } from '../../contract/exported-tables.js';
import { type ExportPiece, exportHours, type OldestWaiting } from '../../control/figure-exports/index.js';
import type { PageId } from '../../lib/ids.js';
import { createEgress } from '../../lib/outbound/egress.js';
import { ServiceError } from '../../lib/service-error.js';
import { hourMs } from '../../lib/times.js';
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
 * Returns when the oldest data arrived that its store lacks, in milliseconds since the epoch: of events, those of the page that
 * this instance holds, and those of all pages that wait in PostgreSQL, of whichever instance. The log of another instance
 * is not known here; batches that were given up do not count, because nobody may ever bring them.
 */
async function loadOldestWaiting({ sql, clock, settle }: JobDeps, pageId: PageId): Promise<OldestWaiting> {
  const [held, stored, poolReports] = await Promise.all([
    settle?.(pageId),
    loadOldestEvents(sql),
    loadOldestPoolReports(sql, clock.now()),
  ]);
  const known = [held, stored].filter((at) => at !== undefined);
  return { events: known.length === 0 ? undefined : Math.min(...known), poolReports };
}

async function loadOldestEvents(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ oldest: Date | null }[]>`
    select least(
      (select min(created_at) from delivery_batches where store = 'default' and exhausted_at is null),
      (select min(p.created_at) from held_parts p join held_blocks h using (token) where h.store = 'default')) as oldest`;
  return row?.oldest?.getTime();
}

/**
 * Blocks do not say whose reports they have, so that those of all pages count. A block is tried for ever, also one that
 * ClickHouse refuses each time: after the longest wait of an hour it does not count any more.
 */
async function loadOldestPoolReports(sql: Sql, now: number): Promise<number | undefined> {
  const [row] = await sql<{ oldest: Date | null }[]>`
    select min(created_at) as oldest from pool_blocks where created_at > ${new Date(now - waitHoursMax * hourMs)}`;
  return row?.oldest?.getTime();
}

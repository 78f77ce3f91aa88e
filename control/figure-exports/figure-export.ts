import { type ExportFormat, type HourlyTable, hourlyTables } from '../../contract/exported-tables.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { openColumn } from '../../sql/sealed-columns.js';
import type { TableProgress } from './next-piece.js';

/** A place for objects in an S3-compatible service. */
export type Bucket = {
  /** `http(s)://host:port`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Without slashes at its ends; empty for none. */
  prefix: string;
  accessKeyId: string;
};

/** The figures of a page that go to a bucket, and how they do. */
export type ExportSettings = Bucket & { format: ExportFormat; tables: HourlyTable[]; enabled: boolean };

/** The export of a page, and how far it has come. */
export type FigureExport = ExportSettings & {
  pageId: PageId;
  /** Changes with every change of the settings. */
  revision: number;
  /** One of each table, in the order of `tables`. */
  progress: TableProgress[];
  lastPutAt: Date | null;
  /** Attempts in a row that failed. */
  failures: number;
  nextAttemptAt: Date;
  lastError: string | null;
  setAt: Date;
  /** The first hour that was last asked for; `null` when none was. */
  since: Date | null;
};

/** An export with its secret, which is `undefined` when it was sealed with another key. */
export type OpenedExport = { found: FigureExport; secret: string | undefined };

type Row = Omit<FigureExport, 'tables'> & { secret: Uint8Array };

const selected = (sql: Sql | Transaction, pageId: PageId) => sql<Row[]>`
  select page_id as "pageId", endpoint, region, bucket, prefix, access_key_id as "accessKeyId", secret, format, enabled,
    revision, last_put_at as "lastPutAt", failures, next_attempt_at as "nextAttemptAt", last_error as "lastError",
    set_at as "setAt", since, (
      select json_agg(json_build_object('table', t.name, 'exportedUntil', extract(epoch from t.exported_until) * 1000,
        'finalUntil', extract(epoch from t.final_until) * 1000))
      from figure_export_tables t where t.page_id = e.page_id) as progress
  from figure_exports e where page_id = ${pageId}`;

/** Finds the export of a page; `undefined` when it has none. */
export async function findFigureExport(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<FigureExport | undefined> {
  const [row] = await selected(sql, pageId);
  return row === undefined ? undefined : toExport(row);
}

/** Finds the export of a page with its secret, as of one moment. */
export async function openFigureExport(
  { sql, secretKey }: { sql: Sql | Transaction; secretKey: string },
  pageId: PageId,
): Promise<OpenedExport | undefined> {
  const [row] = await selected(sql, pageId);
  if (row === undefined) return undefined;
  return { found: toExport(row), secret: openSealed(secretKey, pageId, row.secret) };
}

function toExport({ secret: _, ...row }: Row): FigureExport {
  const progress = hourlyTables.flatMap((table) => row.progress.filter((one) => one.table === table));
  return { ...row, progress, tables: progress.map(({ table }) => table) };
}

function openSealed(secretKey: string, pageId: PageId, sealed: Uint8Array): string | undefined {
  try {
    return openColumn(secretKey, 'figure export', pageId, sealed);
  } catch {
    return undefined;
  }
}

/** Says what to do about a secret that does not open. */
export const sealedElsewhere =
  'The secret was sealed with another HEARTLINE_SECRET_KEY; set secretAccessKey again.';

/** Joins and conditions for exports `e` that may run: they are on, and their pages are there and have their figures. */
const running = (sql: Sql): Fragment => sql`
  join pages p on p.id = e.page_id and p.deleted_at is null
  join accounts a on a.id = p.account_id and a.internal_analytics
  where e.enabled`;

/**
 * Lists pages that have an hour that ended before `settledBefore`, and are due; the one whose last turn was longest ago comes
 * first. A page is listed as well whose objects may have to be put again.
 *
 * @param settledBefore the latest end of an hour, in milliseconds since the epoch
 * @param finalBefore the latest end of an hour whose object is put again
 */
export async function listDueExports(
  sql: Sql,
  { now, settledBefore, finalBefore }: { now: number; settledBefore: number; finalBefore: number },
): Promise<PageId[]> {
  const rows = await sql<{ pageId: PageId }[]>`
    select e.page_id as "pageId" from figure_exports e ${running(sql)} and e.next_attempt_at <= ${new Date(now)}
      and exists (
        select 1 from figure_export_tables t
        where t.page_id = e.page_id and (t.exported_until + interval '1 hour' <= ${new Date(settledBefore)}
          or t.final_until + interval '1 hour' <= ${new Date(finalBefore)}))
    order by e.next_attempt_at, e.page_id`;
  return rows.map(({ pageId }) => pageId);
}

/** Whether the export still has these settings, and may run. */
export async function isStillRunning(
  sql: Sql,
  { pageId, revision }: Pick<FigureExport, 'pageId' | 'revision'>,
): Promise<boolean> {
  const { count } = await sql`
    select 1 from figure_exports e ${running(sql)} and e.page_id = ${pageId} and e.revision = ${revision}`;
  return count === 1;
}

/** Lists exports of these pages that have failed since before a time, with the hours that wait. */
export async function listLateExports(
  sql: Sql,
  { pageIds, before }: { pageIds: readonly PageId[]; before: Date },
): Promise<{ pageId: PageId; waiting: number; oldestAt: Date }[]> {
  return sql<{ pageId: PageId; waiting: number; oldestAt: Date }[]>`
    select page_id as "pageId", failing_since as "oldestAt",
      greatest(1, floor(extract(epoch from ${before}::timestamptz - (
        select min(t.exported_until) from figure_export_tables t where t.page_id = e.page_id)) / 3600))::integer as waiting
    from figure_exports e
    where page_id = any (${pageIds}::uuid[]) and enabled and failing_since <= ${before}`;
}

/**
 * Returns the origin of the address, which is the form that is stored.
 *
 * @throws ServiceError `invalidBody` unless it is an http or https URL without a path.
 */
export function parseEndpoint(endpoint: string): string {
  const problem = problemOfOutboundUrl(endpoint);
  if (problem !== undefined) throw invalid('/endpoint', problem);
  const { pathname, search, hash, origin } = new URL(endpoint);
  if (pathname !== '/' || search !== '' || hash !== '') {
    throw invalid(
      '/endpoint',
      'The endpoint is like https://s3.eu-central-1.amazonaws.com, without the bucket and without a path.',
    );
  }
  return origin;
}

/** @throws ServiceError `invalidBody` for a part that an address loses: `.` and `..`. */
export function checkPrefix(prefix: string): void {
  if (!prefix.split('/').some((part) => /^\.{1,2}$/.test(part))) return;
  throw invalid('/prefix', '/prefix must not have "." or ".." between slashes.');
}

export function invalid(field: string, message: string): ServiceError {
  return new ServiceError('invalidBody', { field, message });
}

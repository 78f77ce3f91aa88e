import { type HourlyTable, hourlyTables } from '../../contract/exported-tables.js';
import { figureExportLimits, type PutFigureExport } from '../../contract/manage/figure-export.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import {
  checkPrefix,
  type ExportSettings,
  type FigureExport,
  findFigureExport,
  invalid,
  type OpenedExport,
  openFigureExport,
  parseEndpoint,
} from './figure-export.js';
import { writeExport, writeTables } from './write-export.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/** Gets the export that the page has, in the transaction of a change, and may refuse the change. */
export type CheckFigureExport = (current: FigureExport | undefined) => void;

/**
 * Sets where the figures of a page go. A table that is new begins with the hour that runs, or with `since`, and all others go
 * on where they are; without a new table, all begin again with `since`. A change of the settings is tried at once. The same
 * again changes nothing, nor does the `since` that was last asked for, as long as objects have the same places.
 *
 * @throws ServiceError `invalidBody` for an endpoint, prefix or time that cannot be used, and without the secret of a new
 *   endpoint or key; `conflict` when another page has the place with the same key; `notFound` when there is no such page;
 *   what `check` throws.
 */
export async function setFigureExport(
  { sql, clock, by, secretKey }: Deps & { secretKey: string },
  pageId: PageId,
  body: PutFigureExport,
  check?: CheckFigureExport,
): Promise<{ isNew: boolean; current: FigureExport }> {
  const now = clock.now();
  const since = parseSince(body.since, now);
  return inTransaction(sql, async (tx) => {
    const slug = await lockPageOfExport(tx, pageId);
    const opened = await openFigureExport({ sql: tx, secretKey }, pageId);
    const before = opened?.found;
    check?.(before);
    const wanted = settingsOf(body, slug);
    const secret = body.secretAccessKey ?? keptSecret(wanted, opened);
    const secretChanged = before !== undefined && secret !== opened?.secret;
    const begun = begunTables(before, wanted, since);
    if (before !== undefined && !secretChanged && begun.length === 0 && sameSettings(before, wanted)) {
      return { isNew: false, current: before };
    }
    const sealed = sealColumn(secretKey, 'figure export', pageId, secret);
    await writeExport(tx, {
      ...{ pageId, wanted, sealed, now: new Date(now) },
      since: since === undefined ? null : new Date(since),
    });
    await writeTables(tx, pageId, {
      ...{ tables: wanted.tables, begun, begin: new Date(since ?? Math.floor(now / hourMs) * hourMs) },
      isMoved: before !== undefined && isElsewhere(before, wanted),
    });
    const current = await findFigureExport({ sql: tx }, pageId);
    if (current === undefined) throw new Error('PostgreSQL returned no row.');
    await recordSet(tx, { by, now }, { before, current, since, secretChanged });
    return { isNew: before === undefined, current };
  });
}

/** Returns the tables whose first hour changes. */
function begunTables(
  before: FigureExport | undefined,
  wanted: ExportSettings,
  since: number | undefined,
): readonly HourlyTable[] {
  if (before === undefined) return wanted.tables;
  const added = wanted.tables.filter((table) => !before.tables.includes(table));
  if (added.length > 0 || since === undefined) return added;
  const isSame = before.since?.getTime() === since && !isElsewhere(before, wanted);
  return isSame ? [] : wanted.tables;
}

type SetChange = {
  before: FigureExport | undefined;
  current: FigureExport;
  since: number | undefined;
  secretChanged: boolean;
};

async function recordSet(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { before, current, since, secretChanged }: SetChange,
): Promise<void> {
  const sinceThen = since !== undefined && { since: new Date(since) };
  await recordExport(tx, audit, before === undefined ? 'create' : 'update', {
    ...{ pageId: current.pageId, name: current.bucket },
    before: before === undefined ? null : fieldsOf(before),
    after: { ...fieldsOf(current), ...sinceThen, ...(secretChanged && { secretChanged }) },
  });
}

function settingsOf(body: PutFigureExport, slug: string): ExportSettings {
  const { endpoint, region, bucket, accessKeyId, prefix = slug, format = 'parquet', enabled = true } = body;
  const { tables = ['requests_hour'] } = body;
  checkPrefix(prefix);
  return {
    ...{ endpoint: parseEndpoint(endpoint), region, bucket, prefix, accessKeyId, format, enabled },
    tables: hourlyTables.filter((table) => tables.includes(table)),
  };
}

/** People who may change the settings must not use a secret with a server or a key that they name. */
function keptSecret(wanted: ExportSettings, opened: OpenedExport | undefined): string {
  const isKnown =
    opened?.found.endpoint === wanted.endpoint && opened.found.accessKeyId === wanted.accessKeyId;
  if (isKnown && opened.secret !== undefined) return opened.secret;
  throw invalid('/secretAccessKey', '/secretAccessKey is required with another endpoint or key.');
}

function parseSince(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const at = parseTimestamp(text);
  if (at >= now - figureExportLimits.sinceDays * dayMs && at <= now) return Math.floor(at / hourMs) * hourMs;
  throw invalid(
    '/since',
    `/since must be a time such as 2027-01-31T23:00:00Z, at most ${figureExportLimits.sinceDays} days ago.`,
  );
}

/**
 * Ends the export of a page. The bucket keeps what it has.
 *
 * @throws ServiceError `notFound` when there is no such page, or it has no export; what `check` throws.
 */
export async function deleteFigureExport(
  { sql, clock, by }: Deps,
  pageId: PageId,
  check?: CheckFigureExport,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await lockPageOfExport(tx, pageId);
    const before = await findFigureExport({ sql: tx }, pageId);
    check?.(before);
    if (before === undefined) throw noFigureExport();
    await tx`delete from figure_exports where page_id = ${pageId}`;
    await recordExport(tx, { by, now: clock.now() }, 'delete', {
      ...{ pageId, name: before.bucket, before: fieldsOf(before), after: null },
    });
  });
}

/** Records that somebody tried the bucket with an object; `error` is null when it was put. */
export async function recordExportTest(
  { sql, clock, by }: Deps,
  { pageId, bucket, ...outcome }: { pageId: PageId; bucket: string; object: string; error: string | null },
): Promise<void> {
  await inTransaction(sql, (tx) =>
    recordExport(tx, { by, now: clock.now() }, 'test', {
      ...{ pageId, name: bucket, before: null, after: outcome },
    }),
  );
}

export function noFigureExport(): ServiceError {
  return new ServiceError('notFound', { message: 'The page does not export its figures.' });
}

/** Returns the slug of the page. @throws ServiceError `notFound` */
async function lockPageOfExport(tx: Transaction, pageId: PageId): Promise<string> {
  const [page] = await tx<{ slug: string }[]>`
    select slug from pages where id = ${pageId} and deleted_at is null for no key update`;
  if (page === undefined) throw new ServiceError('notFound');
  return page.slug;
}

const settingNames = [
  ...(['endpoint', 'region', 'bucket', 'prefix', 'accessKeyId', 'format', 'tables', 'enabled'] as const),
];

function sameSettings(one: ExportSettings, other: ExportSettings): boolean {
  return settingNames.every((name) => String(one[name]) === String(other[name]));
}

/** Whether objects get other names, or go to another bucket. */
function isElsewhere(one: ExportSettings, other: ExportSettings): boolean {
  return (['endpoint', 'bucket', 'prefix', 'format'] as const).some((name) => one[name] !== other[name]);
}

function fieldsOf(settings: ExportSettings): AuditedFields {
  return Object.fromEntries(settingNames.map((name) => [name, settings[name]]));
}

type Sides = { before: AuditedFields | null; after: AuditedFields | null };

function recordExport(
  tx: Transaction,
  audit: { by: Actor; now: number },
  verb: 'create' | 'update' | 'delete' | 'test',
  { pageId, name, ...sides }: { pageId: PageId; name: string } & Sides,
): Promise<void> {
  return recordChange(tx, audit, {
    ...{ pageId, action: `figure-export.${verb}` },
    target: { type: 'figure-export', id: pageId, name },
    ...sides,
  });
}

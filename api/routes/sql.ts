import type { Context } from 'koa';
import { Compile } from 'typebox/compile';
import { estimateSql } from '../../analytics/sql/estimate-sql.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import type { SqlTimes } from '../../analytics/sql/sql-parameters.js';
import {
  SqlAnswer,
  SqlBody,
  type SqlEstimate,
  type SqlFormat,
  sqlFormats,
} from '../../contract/analytics/sql.js';
import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { describeErrors, parseJson } from '../../lib/parse-body.js';
import { parseEnds } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { hangUpSignal } from '../hang-up.js';
import type { BodyRoute } from '../route.js';
import { type AnalyticsDeps, access, showAll } from './analytics.js';

export type SqlDeps = AnalyticsDeps & { pageSql: PageSqlDeps };

const sqlBody = Compile(SqlBody);
const otherFormats = Object.values(sqlFormats).filter((mediaType) => mediaType !== sqlFormats.JSON);

/** The common part of the routes that run the SQL of a page. */
export const sqlDescription = {
  method: 'POST',
  summary: 'Run a SELECT over the rows of the page',
  body: { schema: SqlBody, bytesMax: limits.sqlBodyBytes },
  // A query runs for up to 10 s, after a wait for its turn.
  boundsItself: true,
  saysAsOf: true,
  saysTiming: true,
  answers: { 200: { mediaTypes: otherFormats, json: SqlAnswer } },
  errors: [
    'invalidBody',
    'invalidParameter',
    'invalidSql',
    'ownEventStore',
    'sqlResultTooLarge',
    'sqlTooExpensive',
    'rateLimited',
  ],
} as const;

/** Runs a page's own SQL for callers with a read key. */
export function sqlRoute(deps: SqlDeps): BodyRoute {
  return {
    ...sqlDescription,
    path: '/api/v1/analytics/sql',
    operationId: 'postSql',
    access,
    handle: (ctx, { pageId }, bytes) => answerSql(deps, ctx, pageId, parseSqlBody(bytes)),
  };
}

/**
 * Answers with the result of a page's own SQL. ClickHouse makes it, in whatever format.
 *
 * @throws ServiceError as `sqlDescription` says
 */
export async function answerSql(
  deps: SqlDeps,
  ctx: Context,
  pageId: PageId,
  { sql, format = 'JSON', from, to }: SqlBody,
): Promise<void> {
  const onTime = (elapsedMs: number) => ctx.set('server-timing', `clickhouse;dur=${elapsedMs.toFixed(1)}`);
  const signal = hangUpSignal(ctx.res);
  ctx.body = await readSql(deps, ctx, pageId, { sql, format, from, to, onTime, signal });
  ctx.set('cache-control', 'no-store');
  ctx.type = sqlFormats[format];
}

type Asked = Ends & {
  sql: string;
  format: SqlFormat;
  onTime?: (elapsedMs: number) => void;
  /** Ends the query. */
  signal?: AbortSignal;
};

/** Returns the result of a page's own SQL. @throws ServiceError as `sqlDescription` says */
export async function readSql(
  deps: SqlDeps,
  ctx: Context,
  pageId: PageId,
  { sql, format, from, to, onTime, signal }: Asked,
): Promise<Buffer> {
  const { pageSql, pageStores, clock } = deps;
  if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
  const times = timesOf({ from, to }, clock);
  await showAll(deps, ctx, pageId);
  const input = { sql, format, times, ...(onTime !== undefined && { onTime }) };
  return runPageSql(pageSql, pageId, input, signal);
}

/** Estimates what a page's own SQL reads. @throws ServiceError as `sqlDescription` says */
export function estimate(
  { pageSql, pageStores, clock }: SqlDeps,
  ctx: Context,
  pageId: PageId,
  { sql, from, to }: Pick<SqlBody, 'sql' | 'from' | 'to'>,
): Promise<SqlEstimate> {
  if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
  return estimateSql(pageSql, pageId, { sql, times: timesOf({ from, to }, clock) }, hangUpSignal(ctx.res));
}

/** Values of the parameters, which a body may lack. */
type Ends = { from: string | undefined; to: string | undefined };

function timesOf({ from, to }: Ends, clock: Clock): SqlTimes {
  const ends = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return parseEnds(ends, clock.now());
}

function parseSqlBody(bytes: Buffer): SqlBody {
  const body = parseJson(bytes);
  if (!sqlBody.Check(body)) throw new ServiceError('invalidBody', { message: describeErrors(sqlBody, body) });
  return body;
}

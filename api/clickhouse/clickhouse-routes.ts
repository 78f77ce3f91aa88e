import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import type { Context } from 'koa';
import Type from 'typebox';
import { translateForTools } from '../../analytics/sql/door.js';
import { doorName } from '../../analytics/sql/door-functions.js';
import { plain } from '../../analytics/sql/door-settings.js';
import { runPageSql } from '../../analytics/sql/run-sql.js';
import { SqlAnswer } from '../../contract/analytics/sql.js';
import { type DoorFormat, doorFormats, doorPath, findDoorFormat } from '../../contract/clickhouse.js';
import { sqlLimits } from '../../contract/sql-tables.js';
import type { KeyCache } from '../../control/keys/index.js';
import { ServiceError } from '../../lib/service-error.js';
import { hangUpSignal } from '../hang-up.js';
import type { OpenBodyRoute, OpenRoute } from '../route.js';
import { showAll } from '../routes/analytics.js';
import type { SqlDeps } from '../routes/sql.js';
import { readRequest } from './read-request.js';
import { signIn } from './sign-in.js';

export type ClickHouseDeps = SqlDeps & { keys: Pick<KeyCache, 'find'> };

/** UNKNOWN_FORMAT of ClickHouse. */
const unknownFormatCode = 73;
const queryIdHeader = 'x-clickhouse-query-id';
const queryIdForm = /^[\w.:-]{1,128}$/;
const compressionLevel = 3;

const compressors = {
  gzip: (body: Buffer) => promisify(gzip)(body, { level: compressionLevel }),
  deflate: (body: Buffer) => promisify(deflate)(body, { level: compressionLevel }),
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: compressionLevel } }),
} as const;

const otherTypes = [...new Set<string>(Object.values(doorFormats))].filter(
  (mediaType) => !mediaType.startsWith('application/json'),
);

const described = {
  sameOnEveryHost: true,
  // A query runs for up to 10 s, after a wait for its turn.
  boundsItself: true,
  saysAsOf: true,
  answers: { 200: { mediaTypes: otherTypes, json: SqlAnswer } },
  errors: [
    ...(['invalidSql', 'invalidBody', 'notAllowed', 'notFound', 'capabilityUnavailable'] as const),
    ...(['ownEventStore', 'sqlResultTooLarge', 'sqlTooExpensive', 'rateLimited'] as const),
    ...(['storeUnavailable', 'overloaded'] as const),
  ],
} as const;
const description =
  "ClickHouse's HTTP interface over the tables of a page: the user is the slug of the page, the password a read key. Errors have ClickHouse's codes and form";

const ClickHouseQuery = Type.Object({
  query: Type.Optional(
    Type.String({ description: 'The statement, or its beginning: the body follows after a line feed.' }),
  ),
  default_format: Type.Optional(
    Type.String({
      description: 'The output format of a statement without FORMAT; `TabSeparated` by default.',
    }),
  ),
});

/** ClickHouse's HTTP interface, for tools that read ClickHouse (https://clickhouse.com/docs/interfaces/http). */
export function clickhouseRoutes(deps: ClickHouseDeps): (OpenRoute | OpenBodyRoute)[] {
  // Tools put a slash behind the address, or not.
  const forms = [
    { path: doorPath, suffix: '' },
    { path: `${doorPath}/`, suffix: 'Slash' },
  ] as const;
  const ping: OpenRoute = {
    method: 'GET',
    path: `${doorPath}/ping`,
    operationId: 'pingClickhouse',
    summary: 'Answer the ping of a tool that reads ClickHouse',
    sameOnEveryHost: true,
    answers: { 200: { mediaTypes: ['text/plain'] } },
    errors: [],
    handle: (ctx) => answerOk(ctx),
  };
  return [
    ...forms.flatMap(({ path, suffix }) => [
      readRoute(deps, path, `getClickhouse${suffix}`),
      bodyRoute(deps, path, `postClickhouse${suffix}`),
    ]),
    ping,
  ];
}

function readRoute(deps: ClickHouseDeps, path: `/${string}`, operationId: string): OpenRoute {
  return {
    ...described,
    ...{ description, path, operationId, query: ClickHouseQuery },
    method: 'GET',
    summary: 'Run a SELECT for a tool that reads ClickHouse',
    handle: (ctx) => answer(deps, ctx, undefined),
  };
}

function bodyRoute(deps: ClickHouseDeps, path: `/${string}`, operationId: string): OpenBodyRoute {
  return {
    ...described,
    ...{ description, path, operationId, query: ClickHouseQuery },
    method: 'POST',
    summary: 'Run a SELECT for a tool that reads ClickHouse, with the statement in the body',
    body: { schema: Type.String(), mediaType: 'text/plain', bytesMax: sqlLimits.queryBytes },
    handle: (ctx, body) => answer(deps, ctx, body),
  };
}

/** The answer to a ping, and to a request without a statement. */
function answerOk(ctx: Context): void {
  setHeaders(ctx);
  ctx.set('content-type', 'text/plain; charset=UTF-8');
  ctx.body = 'Ok.\n';
}

async function answer(deps: ClickHouseDeps, ctx: Context, body: Buffer | undefined): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  if (body === undefined && (ctx.method === 'HEAD' || (query.get('query') ?? '') === ''))
    return answerOk(ctx);
  setHeaders(ctx, query.get('query_id') ?? ctx.get('x-clickhouse-query-id'));
  const { pageSql, pageStores } = deps;
  const { pageId, slug } = await signIn(ctx, query, deps.keys);
  nameQuery(ctx);
  const { database } = pageSql;
  const request = readRequest(ctx, query, { body, database });
  const statement = translateForTools(request.statement, { database, user: slug }, request.parameters);
  const format = formatOf(statement.format ?? request.defaultFormat);
  const summary = { result_bytes: 0, elapsed_ns: 0 };
  let result: Buffer = Buffer.alloc(0);
  if (statement.sql !== undefined) {
    if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
    await showAll(deps, ctx, pageId);
    const input = {
      ...{ sql: statement.sql, format, wire: request.wire },
      onTime: (elapsedMs: number) => {
        summary.elapsed_ns = Math.round(elapsedMs * 1e6);
      },
    };
    result = await runPageSql(pageSql, pageId, input, hangUpSignal(ctx.res)).catch((error: unknown) => {
      throw error instanceof ServiceError ? statement.locate(error) : error;
    });
  }
  summary.result_bytes = result.length;
  ctx.set('x-clickhouse-format', format);
  ctx.set('x-clickhouse-summary', describeSummary(summary));
  ctx.set('cache-control', 'no-store');
  await send(ctx, result, { format, mayCompress: request.mayCompress });
}

function setHeaders(ctx: Context, queryId = ''): void {
  ctx.set('x-clickhouse-server-display-name', doorName);
  ctx.set('x-clickhouse-timezone', 'UTC');
  if (queryIdForm.test(queryId)) ctx.set(queryIdHeader, queryId);
}

/** Gives a query without an id one. Strangers get none, so that their answers are the same on every host. */
function nameQuery(ctx: Context): void {
  if (!ctx.res.hasHeader(queryIdHeader)) ctx.set(queryIdHeader, randomUUID());
}

function formatOf(name: string): DoorFormat {
  const format = findDoorFormat(name);
  if (format !== undefined) return format;
  const message = `Unknown format ${plain(name)}. Available are ${Object.keys(doorFormats).join(', ')}.`;
  throw new ServiceError('invalidSql', { message, storeCode: unknownFormatCode });
}

/** The rows and bytes that a query read would say how much other pages have. */
function describeSummary({ result_bytes, elapsed_ns }: { result_bytes: number; elapsed_ns: number }): string {
  const zeros = {
    ...{ read_rows: '0', read_bytes: '0', written_rows: '0', written_bytes: '0' },
    ...{ total_rows_to_read: '0', result_rows: '0' },
  };
  return JSON.stringify({ ...zeros, result_bytes: String(result_bytes), elapsed_ns: String(elapsed_ns) });
}

async function send(
  ctx: Context,
  result: Buffer,
  { format, mayCompress }: { format: DoorFormat; mayCompress: boolean },
): Promise<void> {
  ctx.set('content-type', doorFormats[format]);
  const chosen = mayCompress ? ctx.acceptsEncodings('gzip', 'deflate', 'br', 'identity') : false;
  const coding = chosen === 'gzip' || chosen === 'deflate' || chosen === 'br' ? chosen : undefined;
  if (coding !== undefined) ctx.set('content-encoding', coding);
  ctx.body = coding === undefined ? result : await compressors[coding](result);
}

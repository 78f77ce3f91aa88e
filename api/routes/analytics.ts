import type { Context } from 'koa';
import { Compile } from 'typebox/compile';
import { loadMessages, parseMessagesQuery } from '../../analytics/messages.js';
import { loadReporters, parseReportersQuery } from '../../analytics/reporters.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import {
  MessagesAnswer,
  MessagesParameters,
  ReportersAnswer,
  ReportersParameters,
  RequestsAnswer,
  RequestsParameters,
  SqlAnswer,
  SqlBody,
  sqlFormats,
} from '../../contract/analytics.js';
import { limits } from '../../contract/limits.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { describeFirstError, parseJson } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { hangUpSignal } from '../hang-up.js';
import type { PageRead } from '../page-read.js';
import type { Access, BodyRoute } from '../route.js';

export type AnalyticsDeps = {
  sql: Sql;
  clock: Clock;
  pageSql: PageSqlDeps;
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn' | 'settle'>;
};

const capability = 'internal-analytics';
const access: Access = { scope: 'read', capability, keyError: 'invalidKey' };
const described = {
  method: 'GET',
  capability,
  saysAsOf: true,
  errors: ['invalidParameter', 'sqlTooExpensive', 'ownStoreUnavailable'],
} as const;
const sqlBody = Compile(SqlBody);
const otherFormats = Object.values(sqlFormats).filter((mediaType) => mediaType !== sqlFormats.JSON);

/** Requests, reporters and messages of a page. */
export function analyticsReads(deps: AnalyticsDeps): PageRead[] {
  const { sql, clock, pageStores } = deps;
  const readerOf = async (ctx: Context, pageId: PageId) => {
    await showAll(deps, ctx, pageId);
    return { sql, clock, clickhouse: pageStores.clickhouseOf(pageId) };
  };
  return [
    {
      ...described,
      path: '/api/v1/analytics/requests',
      operationId: 'getRequests',
      summary: 'Counts, failures and response times over time',
      query: RequestsParameters,
      answers: { 200: RequestsAnswer },
      async read(ctx, pageId) {
        const query = parseRequestsQuery(ctx.query, clock.now());
        answerFresh(ctx, await loadRequests(await readerOf(ctx, pageId), pageId, query));
      },
    },
    {
      ...described,
      path: '/api/v1/analytics/reporters',
      operationId: 'getReporters',
      summary: 'Health of every service and reporter',
      query: ReportersParameters,
      answers: { 200: ReportersAnswer },
      async read(ctx, pageId) {
        const query = parseReportersQuery(ctx.query);
        answerFresh(ctx, await loadReporters(await readerOf(ctx, pageId), pageId, query));
      },
    },
    {
      ...described,
      path: '/api/v1/analytics/messages',
      operationId: 'getMessages',
      summary: 'Messages of failing responses',
      query: MessagesParameters,
      answers: { 200: MessagesAnswer },
      async read(ctx, pageId) {
        const query = parseMessagesQuery(ctx.query, clock.now());
        answerFresh(ctx, await loadMessages(await readerOf(ctx, pageId), pageId, query));
      },
    },
  ];
}

/** What the routes that run the SQL of a page have in common. */
export const sqlDescription = {
  method: 'POST',
  summary: 'Run a SELECT over the rows of the page',
  body: { schema: SqlBody, bytesMax: limits.sqlBodyBytes },
  // A query runs for up to 10 s, after a wait for its turn.
  boundsItself: true,
  saysAsOf: true,
  answers: { 200: { mediaTypes: otherFormats, json: SqlAnswer } },
  errors: [
    'invalidBody',
    'invalidSql',
    'ownEventStore',
    'sqlResultTooLarge',
    'sqlTooExpensive',
    'rateLimited',
  ],
} as const;

/** Runs a page's own SQL for callers with a read key. */
export function sqlRoute(deps: AnalyticsDeps): BodyRoute {
  return {
    ...sqlDescription,
    path: '/api/v1/analytics/sql',
    operationId: 'postSql',
    access,
    handle: (ctx, { pageId }, bytes) => answerSql(deps, ctx, pageId, parseSqlBody(bytes)),
  };
}

/**
 * Runs a page's own SQL. The answer is that of ClickHouse, in whatever format.
 *
 * @throws ServiceError those of `sqlDescription`
 */
export async function answerSql(
  deps: AnalyticsDeps,
  ctx: Context,
  pageId: PageId,
  { sql, format = 'JSON' }: SqlBody,
): Promise<void> {
  const { pageSql, pageStores } = deps;
  if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
  await showAll(deps, ctx, pageId);
  const result = await runPageSql(pageSql, pageId, { sql, format }, hangUpSignal(ctx.res));
  answerFresh(ctx, result);
  ctx.type = sqlFormats[format];
}

function parseSqlBody(bytes: Buffer): SqlBody {
  const body = parseJson(bytes);
  if (!sqlBody.Check(body))
    throw new ServiceError('invalidBody', { message: describeFirstError(sqlBody, body) });
  return body;
}

/**
 * Brings what this instance has acknowledged to the store first, so that senders see what they sent. The header says up
 * to when the answer has it all; other instances may have acknowledged more within the last second. Comes after the
 * checks of the request: one that is refused costs no insert.
 */
async function showAll({ clock, pageStores }: AnalyticsDeps, ctx: Context, pageId: PageId): Promise<void> {
  const now = clock.now();
  const oldestMissing = await pageStores.settle(pageId);
  ctx.set('heartline-as-of', new Date(oldestMissing ?? now).toISOString());
}

/** The figures are private and current, so no cache may keep them. */
function answerFresh(ctx: Context, body: unknown): void {
  ctx.set('cache-control', 'no-store');
  ctx.body = body;
}

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
import type { Access, BodyRoute, KeyRoute } from '../route.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  pageSql: PageSqlDeps;
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn' | 'settle'>;
};

const access: Access = { scope: 'read', capability: 'internal-analytics', keyError: 'invalidKey' };
const read = {
  method: 'GET',
  access,
  saysAsOf: true,
  errors: ['invalidParameter', 'sqlTooExpensive', 'ownStoreUnavailable'],
} as const;
const sqlBody = Compile(SqlBody);
const otherFormats = Object.values(sqlFormats).filter((mediaType) => mediaType !== sqlFormats.JSON);

export function analyticsRoutes(deps: Deps): KeyRoute[] {
  const { sql, clock, pageStores } = deps;
  const readerOf = async (ctx: Context, pageId: PageId) => {
    await showAll(deps, ctx, pageId);
    return { sql, clock, clickhouse: pageStores.clickhouseOf(pageId) };
  };
  return [
    {
      ...read,
      path: '/api/v1/analytics/requests',
      operationId: 'getRequests',
      summary: 'Counts, failures and response times over time',
      query: RequestsParameters,
      answers: { 200: RequestsAnswer },
      async handle(ctx, { pageId }) {
        const query = parseRequestsQuery(ctx.query, clock.now());
        answerFresh(ctx, await loadRequests(await readerOf(ctx, pageId), pageId, query));
      },
    },
    {
      ...read,
      path: '/api/v1/analytics/reporters',
      operationId: 'getReporters',
      summary: 'Health of every service and reporter',
      query: ReportersParameters,
      answers: { 200: ReportersAnswer },
      async handle(ctx, { pageId }) {
        const query = parseReportersQuery(ctx.query);
        answerFresh(ctx, await loadReporters(await readerOf(ctx, pageId), pageId, query));
      },
    },
    {
      ...read,
      path: '/api/v1/analytics/messages',
      operationId: 'getMessages',
      summary: 'Messages of failing responses',
      query: MessagesParameters,
      answers: { 200: MessagesAnswer },
      async handle(ctx, { pageId }) {
        const query = parseMessagesQuery(ctx.query, clock.now());
        answerFresh(ctx, await loadMessages(await readerOf(ctx, pageId), pageId, query));
      },
    },
  ];
}

/** Runs a page's own SQL. The answer is that of ClickHouse, in whatever format. */
export function sqlRoute(deps: Deps): BodyRoute {
  const { pageSql, pageStores } = deps;
  return {
    method: 'POST',
    path: '/api/v1/analytics/sql',
    operationId: 'postSql',
    summary: 'Run a SELECT over the rows of the page',
    access,
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
    async handle(ctx, { pageId }, bytes) {
      const { sql, format = 'JSON' } = parseSqlBody(bytes);
      if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
      await showAll(deps, ctx, pageId);
      const result = await runPageSql(pageSql, pageId, { sql, format }, hangUpSignal(ctx.res));
      answerFresh(ctx, result);
      ctx.type = sqlFormats[format];
    },
  };
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
async function showAll({ clock, pageStores }: Deps, ctx: Context, pageId: PageId): Promise<void> {
  const now = clock.now();
  const oldestMissing = await pageStores.settle(pageId);
  ctx.set('heartline-as-of', new Date(oldestMissing ?? now).toISOString());
}

/** The figures are private and current, so no cache may keep them. */
function answerFresh(ctx: Context, body: unknown): void {
  ctx.set('cache-control', 'no-store');
  ctx.body = body;
}

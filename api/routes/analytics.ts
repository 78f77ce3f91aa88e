import type { Context } from 'koa';
import { Compile } from 'typebox/compile';
import { parseMessagesQuery, readMessages } from '../../analytics/messages.js';
import { parseReportersQuery, readReporters } from '../../analytics/reporters.js';
import { parseRequestsQuery, readRequests } from '../../analytics/requests.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import {
  MessagesAnswer,
  MessagesParameters,
  ReportersAnswer,
  ReportersParameters,
  RequestsAnswer,
  RequestsParameters,
  SqlBody,
  sqlFormats,
} from '../../contract/analytics.js';
import { limits } from '../../contract/limits.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import { describeFirstError } from '../../lib/describe-error.js';
import type { PageId } from '../../lib/ids.js';
import { parseJson } from '../../lib/parse-json.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Access, BodyRoute, KeyRoute } from '../route.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  pageSql: PageSqlDeps;
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn'>;
};

const access: Access = { scope: 'read', capability: 'internal-analytics', keyError: 'invalidKey' };
const readErrors = ['invalidParameter'] as const;
const sqlBody = Compile(SqlBody);

export function analyticsRoutes({ sql, clock, pageStores }: Deps): KeyRoute[] {
  const depsOf = (pageId: PageId) => ({ sql, clock, clickhouse: pageStores.clickhouseOf(pageId) });
  return [
    {
      method: 'GET',
      path: '/api/v1/analytics/requests',
      operationId: 'getRequests',
      summary: 'Counts, failures and response times over time',
      access,
      query: RequestsParameters,
      answers: { 200: RequestsAnswer },
      errors: readErrors,
      async handle(ctx, { pageId }) {
        answerFresh(ctx, await readRequests(depsOf(pageId), pageId, parseRequestsQuery(ctx.query)));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/analytics/reporters',
      operationId: 'getReporters',
      summary: 'Health of every service and reporter',
      access,
      query: ReportersParameters,
      answers: { 200: ReportersAnswer },
      errors: readErrors,
      async handle(ctx, { pageId }) {
        answerFresh(ctx, await readReporters(depsOf(pageId), pageId, parseReportersQuery(ctx.query)));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/analytics/messages',
      operationId: 'getMessages',
      summary: 'Messages of failing responses',
      access,
      query: MessagesParameters,
      answers: { 200: MessagesAnswer },
      errors: readErrors,
      async handle(ctx, { pageId }) {
        answerFresh(ctx, await readMessages(depsOf(pageId), pageId, parseMessagesQuery(ctx.query)));
      },
    },
  ];
}

/** The page's own SQL. Its answer is ClickHouse's, whatever its format. */
export function sqlRoute({ pageSql, pageStores }: Deps): BodyRoute {
  return {
    method: 'POST',
    path: '/api/v1/analytics/sql',
    operationId: 'postSql',
    summary: 'Run a SELECT over the rows of the page',
    access,
    body: { schema: SqlBody, bytesMax: limits.sqlBodyBytes },
    answers: { 200: { mediaTypes: Object.values(sqlFormats) } },
    errors: [
      'invalidBody',
      'invalidSql',
      'ownEventStore',
      'sqlResultTooLarge',
      'sqlTooExpensive',
      'rateLimited',
    ],
    async handle(ctx, { pageId }, bytes) {
      const { sql, format = 'JSON' } = readSqlBody(bytes);
      if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
      const result = await runPageSql(pageSql, pageId, { sql, format }, abortedWith(ctx));
      answerFresh(ctx, result);
      ctx.type = sqlFormats[format];
    },
  };
}

function readSqlBody(bytes: Buffer): SqlBody {
  const body = parseJson(bytes);
  if (!sqlBody.Check(body))
    throw new ServiceError('invalidBody', { message: describeFirstError(sqlBody, body) });
  return body;
}

/** Private figures of now: no cache may keep them. */
function answerFresh(ctx: Context, body: unknown): void {
  ctx.set('cache-control', 'no-store');
  ctx.body = body;
}

/** Aborts when the caller hangs up before the answer is out. */
function abortedWith(ctx: Context): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) controller.abort();
  });
  return controller.signal;
}

import type { Context } from 'koa';
import { Compile } from 'typebox/compile';
import { loadCalls, parseCallsQuery } from '../../analytics/calls.js';
import { loadFailureGroups, parseFailureGroupsQuery } from '../../analytics/failure-groups.js';
import { loadFailures, parseFailuresQuery } from '../../analytics/failures.js';
import { parseTopQuery, parseTotalsQuery } from '../../analytics/figures/parse-figures.js';
import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadMessageGroups, parseMessageGroupsQuery } from '../../analytics/message-groups.js';
import { loadMessages, parseMessagesQuery } from '../../analytics/messages.js';
import { loadReporters, parseReportersQuery } from '../../analytics/reporters.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import {
  FailureGroupsAnswer,
  FailureGroupsParameters,
  FailuresAnswer,
  FailuresParameters,
} from '../../contract/analytics/failures.js';
import {
  TopAnswer,
  TopParameters,
  TotalsAnswer,
  TotalsParameters,
} from '../../contract/analytics/figures.js';
import {
  MessageGroupsAnswer,
  MessageGroupsParameters,
  MessagesAnswer,
  MessagesParameters,
} from '../../contract/analytics/messages.js';
import {
  CallsAnswer,
  CallsParameters,
  ReportersAnswer,
  ReportersParameters,
} from '../../contract/analytics/reporters.js';
import { RequestsAnswer, RequestsParameters } from '../../contract/analytics/requests.js';
import { SqlAnswer, SqlBody, sqlFormats } from '../../contract/analytics/sql.js';
import { limits } from '../../contract/limits.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { describeErrors, parseJson } from '../../lib/parse-body.js';
import { parseEnds } from '../../lib/query-parameters.js';
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
/** The common part of the descriptions of reads of events. */
export const described = {
  method: 'GET',
  capability,
  saysAsOf: true,
  errors: ['invalidParameter', 'sqlTooExpensive', 'ownStoreUnavailable'],
} as const;
const sqlBody = Compile(SqlBody);
const otherFormats = Object.values(sqlFormats).filter((mediaType) => mediaType !== sqlFormats.JSON);

/** The page and store of a read, once the store has all events that this instance has acknowledged. */
type ReaderOf = (
  ctx: Context,
  pageId: PageId,
) => Promise<{ sql: Sql; clock: Clock; clickhouse: ReturnType<PageStores['clickhouseOf']> }>;

/** Requests, reporters, their calls, and messages of a page. */
export function analyticsReads(deps: AnalyticsDeps): PageRead[] {
  const { sql, clock, pageStores } = deps;
  const readerOf: ReaderOf = async (ctx, pageId) => {
    await showAll(deps, ctx, pageId);
    return { sql, clock, clickhouse: pageStores.clickhouseOf(pageId) };
  };
  return [
    ...requestReads(clock, readerOf),
    ...reporterReads(readerOf),
    ...messageReads(clock, readerOf),
    ...failureReads(clock, readerOf),
    ...callReads(clock, readerOf),
  ];
}

/** Counts, failures and response times: over time, over a range, and of the largest groups. */
function requestReads(clock: Clock, readerOf: ReaderOf): PageRead[] {
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
        ctx.body = await loadRequests(await readerOf(ctx, pageId), pageId, query);
      },
    },
    {
      ...described,
      path: '/api/v1/analytics/totals',
      operationId: 'getTotals',
      summary: 'Counts, failures and response times over a whole range',
      query: TotalsParameters,
      answers: { 200: TotalsAnswer },
      async read(ctx, pageId) {
        const now = clock.now();
        const query = parseTotalsQuery(ctx.query, now);
        ctx.body = await loadTotals(await readerOf(ctx, pageId), pageId, query, now);
      },
    },
    {
      ...described,
      path: '/api/v1/analytics/top',
      operationId: 'getTop',
      summary: 'The largest services, endpoints, methods or statuses',
      query: TopParameters,
      answers: { 200: TopAnswer },
      async read(ctx, pageId) {
        const now = clock.now();
        const query = parseTopQuery(ctx.query, now);
        ctx.body = await loadTop(await readerOf(ctx, pageId), pageId, query, now);
      },
    },
  ];
}

/** The health of services and reporters. */
function reporterReads(readerOf: ReaderOf): PageRead[] {
  return [
    {
      ...described,
      asksPostgres: true,
      path: '/api/v1/analytics/reporters',
      operationId: 'getReporters',
      summary: 'Health of every service and reporter',
      query: ReportersParameters,
      answers: { 200: ReportersAnswer },
      async read(ctx, pageId) {
        const query = parseReportersQuery(ctx.query);
        ctx.body = await loadReporters(await readerOf(ctx, pageId), pageId, query);
      },
    },
  ];
}

/** Messages of failing responses, one by one and in groups. */
function messageReads(clock: Clock, readerOf: ReaderOf): PageRead[] {
  return [
    {
      ...described,
      path: '/api/v1/analytics/messages',
      operationId: 'getMessages',
      summary: 'Messages of failing responses',
      query: MessagesParameters,
      answers: { 200: MessagesAnswer },
      async read(ctx, pageId) {
        const query = parseMessagesQuery(ctx.query, clock.now());
        ctx.body = await loadMessages(await readerOf(ctx, pageId), pageId, query);
      },
    },
    {
      ...described,
      path: '/api/v1/analytics/messages/groups',
      operationId: 'getMessageGroups',
      summary: 'Messages of failing responses, grouped by what they have in common',
      query: MessageGroupsParameters,
      answers: { 200: MessageGroupsAnswer },
      async read(ctx, pageId) {
        const query = parseMessageGroupsQuery(ctx.query, clock.now());
        ctx.body = await loadMessageGroups(await readerOf(ctx, pageId), pageId, query);
      },
    },
  ];
}

/** Samples of failing requests, one by one and in groups. */
function failureReads(clock: Clock, readerOf: ReaderOf): PageRead[] {
  return [
    {
      ...described,
      path: '/api/v1/analytics/failures',
      operationId: 'getFailures',
      summary: 'Samples of failing requests',
      query: FailuresParameters,
      answers: { 200: FailuresAnswer },
      async read(ctx, pageId) {
        const query = parseFailuresQuery(ctx.query, clock.now());
        ctx.body = await loadFailures(await readerOf(ctx, pageId), pageId, query);
      },
    },
    {
      ...described,
      path: '/api/v1/analytics/failures/groups',
      operationId: 'getFailureGroups',
      summary: 'Samples of failing requests, grouped by type of error and message',
      query: FailureGroupsParameters,
      answers: { 200: FailureGroupsAnswer },
      async read(ctx, pageId) {
        const query = parseFailureGroupsQuery(ctx.query, clock.now());
        ctx.body = await loadFailureGroups(await readerOf(ctx, pageId), pageId, query);
      },
    },
  ];
}

/** How often services and reporters called. */
function callReads(clock: Clock, readerOf: ReaderOf): PageRead[] {
  return [
    {
      ...described,
      asksPostgres: true,
      path: '/api/v1/analytics/calls',
      operationId: 'getCalls',
      summary: 'Calls of services and reporters over time',
      query: CallsParameters,
      answers: { 200: CallsAnswer },
      async read(ctx, pageId) {
        const query = parseCallsQuery(ctx.query, clock.now());
        ctx.body = await loadCalls(await readerOf(ctx, pageId), pageId, query);
      },
    },
  ];
}

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
 * Runs a page's own SQL. ClickHouse makes the answer, in whatever format.
 *
 * @throws ServiceError as `sqlDescription` says
 */
export async function answerSql(
  deps: AnalyticsDeps,
  ctx: Context,
  pageId: PageId,
  { sql, format = 'JSON', from, to }: SqlBody,
): Promise<void> {
  const { pageSql, pageStores, clock } = deps;
  if (pageStores.isOwn(pageId)) throw new ServiceError('ownEventStore');
  const times = parseEnds(
    { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    clock.now(),
  );
  await showAll(deps, ctx, pageId);
  const onTime = (elapsedMs: number) => ctx.set('server-timing', `clickhouse;dur=${elapsedMs.toFixed(1)}`);
  const result = await runPageSql(pageSql, pageId, { sql, format, times, onTime }, hangUpSignal(ctx.res));
  ctx.set('cache-control', 'no-store');
  ctx.body = result;
  ctx.type = sqlFormats[format];
}

function parseSqlBody(bytes: Buffer): SqlBody {
  const body = parseJson(bytes);
  if (!sqlBody.Check(body)) throw new ServiceError('invalidBody', { message: describeErrors(sqlBody, body) });
  return body;
}

/**
 * Brings what this instance has acknowledged to the store first, so that senders see what they sent. The header says up
 * to when the answer has it all; other instances may have acknowledged more within the last second. Comes after the
 * checks of the request: one that is refused costs no insert.
 */
export async function showAll(
  { clock, pageStores }: AnalyticsDeps,
  ctx: Context,
  pageId: PageId,
): Promise<void> {
  const now = clock.now();
  const oldestMissing = await pageStores.settle(pageId);
  ctx.set('heartline-as-of', new Date(oldestMissing ?? now).toISOString());
}

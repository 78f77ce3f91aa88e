import type { Context } from 'koa';
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
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { PageRead } from '../page-read.js';
import type { Access } from '../route.js';

export type AnalyticsDeps = {
  sql: Sql;
  clock: Clock;
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn' | 'settle'>;
};

const capability = 'internal-analytics';
/** Who may read figures of events. */
export const access: Access = { scope: 'read', capability, keyError: 'invalidKey' };
/** The common part of the descriptions of reads of events. */
export const described = {
  method: 'GET',
  capability,
  saysAsOf: true,
  errors: ['invalidParameter', 'sqlTooExpensive', 'ownStoreUnavailable'],
} as const;

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

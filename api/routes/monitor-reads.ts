import type { Context } from 'koa';
import Type from 'typebox';
import { rangeParameters, stepParameter } from '../../contract/analytics/parameters.js';
import {
  MonitorPhases,
  MonitorSeries,
  monitorSeriesLimits,
  StoredCheck,
} from '../../contract/manage/monitor-checks.js';
import { ManagedMonitor } from '../../contract/manage/monitors.js';
import {
  type ListedState,
  listedStates,
  listManagedMonitors,
  loadMonitor,
  type Monitor,
  toManagedMonitor,
} from '../../control/monitors/index.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { invalidValue, type Parameters, parseParameters, parseRange } from '../../lib/query-parameters.js';
import { parseSeriesQuery } from '../../rollups/series/parse-series.js';
import { readChecks } from '../../rollups/series/read-checks.js';
import { parsePhasesQuery, readPhases } from '../../rollups/series/read-phases.js';
import { readSeries } from '../../rollups/series/read-series.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createPaging, listOf, listParameters } from '../manage/lists.js';
import type { PageRead } from '../page-read.js';

export type MonitorReadDeps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; secretKey: string };

/** Names a monitor of a page. */
type MonitorOfPage = { pageId: PageId; slug: string };

const checksRange = {
  from: Type.Optional(Type.String({ description: 'Start: a time with a zone, a date, or such as now-7d.' })),
  to: Type.Optional(Type.String({ description: 'End, exclusive, in the same forms; now when absent.' })),
};
export const monitorsQuery = Type.Object({
  state: Type.Optional(Type.Enum([...listedStates], { description: 'Only those in this state.' })),
  q: Type.Optional(Type.String({ description: 'Only those with this text in slug, name or URL.' })),
  ...listParameters,
});
export const checksQuery = Type.Object({ ...checksRange, ...listParameters });
export const seriesQuery = Type.Object({ ...checksRange, step: stepParameter });

const described = { method: 'GET', capability: 'internal-analytics', asksPostgres: true } as const;
const figures = { ...described, errors: ['invalidParameter', 'notFound', 'sqlTooExpensive'] } as const;

/** The monitors of a page for callers with a read key: the answers of the management API. */
export function monitorReads(deps: MonitorReadDeps): PageRead[] {
  const ofPath = (ctx: Context, pageId: PageId) => ({ pageId, slug: String(ctx['params'].slug) });
  return [
    {
      ...described,
      path: '/api/v1/analytics/monitors',
      operationId: 'getMonitors',
      summary: 'The monitors of the page, in its order',
      query: monitorsQuery,
      answers: { 200: listOf(ManagedMonitor) },
      errors: ['invalidParameter'],
      async read(ctx, pageId) {
        const query = parseParameters(ctx.query, ['state', 'q', 'limit', 'cursor']);
        await answerMonitors(deps, ctx, pageId, query);
      },
    },
    {
      ...figures,
      path: '/api/v1/analytics/monitors/:slug/checks',
      operationId: 'getMonitorChecks',
      summary: 'The checks of a monitor, newest first',
      query: checksQuery,
      answers: { 200: listOf(StoredCheck) },
      async read(ctx, pageId) {
        const query = parseParameters(ctx.query, ['from', 'to', 'limit', 'cursor']);
        await answerChecks(deps, ctx, ofPath(ctx, pageId), query);
      },
    },
    {
      ...figures,
      path: '/api/v1/analytics/monitors/:slug/series',
      operationId: 'getSeriesOfMonitor',
      summary: 'Uptime and response times of a monitor over time',
      query: Type.Object({ ...rangeParameters, step: stepParameter }),
      answers: { 200: MonitorSeries },
      async read(ctx, pageId) {
        const query = parseParameters(ctx.query, ['from', 'to', 'step']);
        ctx.body = await loadSeries(deps, ofPath(ctx, pageId), query);
      },
    },
    {
      ...figures,
      path: '/api/v1/analytics/monitors/:slug/phases',
      operationId: 'getPhasesOfMonitor',
      summary: 'What the response times of a monitor are made of, over time',
      query: seriesQuery,
      answers: { 200: MonitorPhases },
      async read(ctx, pageId) {
        const query = parseParameters(ctx.query, ['from', 'to', 'step']);
        ctx.body = await loadPhases(deps, ofPath(ctx, pageId), query);
      },
    },
  ];
}

/** Answers with a part of the monitors of a page. @throws ServiceError `invalidParameter` */
export async function answerMonitors(
  deps: Omit<MonitorReadDeps, 'clickhouse'>,
  ctx: Context,
  pageId: PageId,
  query: Parameters<'state' | 'q' | 'limit' | 'cursor'>,
): Promise<void> {
  const state = parseState(query.state);
  const paging = createPaging(deps.secretKey, `monitors ${pageId} ${state} ${query.q}`);
  const { limit, after } = paging.parse(query);
  const rows = await listManagedMonitors(deps, {
    ...{ pageId, limit: limit + 1, state, text: query.q },
    after: after && [Number(after[0]), String(after[1])],
  });
  const positionOf = ({ position, slug }: Monitor) => [position, slug];
  paging.answer(ctx, { rows, limit, toItem: toManagedMonitor, positionOf });
}

function parseState(value: string | undefined): ListedState | undefined {
  const state = listedStates.find((known) => known === value);
  if (value !== undefined && state === undefined) {
    throw invalidValue('state', `one of ${listedStates.join(', ')}`, value);
  }
  return state;
}

/**
 * Answers with a part of the checks of a monitor.
 *
 * @throws ServiceError `invalidParameter`, `notFound`; as readChecks() does
 */
export async function answerChecks(
  deps: MonitorReadDeps,
  ctx: Context,
  { pageId, slug }: MonitorOfPage,
  query: Parameters<'from' | 'to' | 'limit' | 'cursor'>,
): Promise<void> {
  const { from: fromText, to: toText } = query;
  const given = { from: fromText ?? `now-${monitorSeriesLimits.days}d`, ...(toText && { to: toText }) };
  const { from, to } = parseRange(given, deps.clock.now());
  const { id } = await loadMonitor(deps, { pageId, slug });
  const paging = createPaging(deps.secretKey, `checks ${pageId} ${id} ${fromText} ${toText}`);
  const { limit, after } = paging.parse(query);
  const part = { pageId, monitorId: id, from, to: Math.min(to, Number(after?.[0] ?? to)) };
  const rows = await readChecks(deps, { ...part, limit: limit + 1 });
  const positionOf = ({ at }: StoredCheck) => [Date.parse(at)];
  paging.answer(ctx, { rows, limit, toItem: (check) => check, positionOf });
}

/** Loads the series of a monitor. @throws ServiceError `invalidParameter`, `notFound`; as readSeries() does */
export async function loadSeries(
  deps: MonitorReadDeps,
  { pageId, slug }: MonitorOfPage,
  query: Parameters<'from' | 'to' | 'step'>,
): Promise<MonitorSeries> {
  const series = parseSeriesQuery(query, deps.clock.now());
  const { id } = await loadMonitor(deps, { pageId, slug });
  return readSeries(deps, { pageId, monitorId: id }, series);
}

/** Loads the phases of a monitor. @throws ServiceError `invalidParameter`, `notFound`; as readPhases() does */
export async function loadPhases(
  deps: MonitorReadDeps,
  { pageId, slug }: MonitorOfPage,
  query: Parameters<'from' | 'to' | 'step'>,
): Promise<MonitorPhases> {
  const phases = parsePhasesQuery(query, deps.clock.now());
  const { id } = await loadMonitor(deps, { pageId, slug });
  return readPhases(deps, { pageId, monitorId: id }, phases);
}

import type { Static } from 'typebox';
import type { Order, TopAnswer, Totals } from '../../contract/analytics/figures.js';
import type { Grouping } from '../../contract/analytics/parameters.js';
import type { PageId } from '../../lib/ids.js';
import { unfinishedFrom } from '../../lib/kept.js';
import { percentilesOfBuckets } from '../../sql/latency-percentiles.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import {
  type CountsRow,
  countsColumns,
  loadGroupFigures,
  noTotals,
  notKept,
  Percentiles,
  selectCounts,
} from './group-figures.js';
import { type Group, groupBy, keyOf } from './groups.js';
import type { TopQuery } from './parse-figures.js';
import { groupColumns, partsSource, type Scope } from './parts-source.js';
import type { Period } from './periods.js';
import { type Plan, planPeriods } from './plan-periods.js';
import { loadSparklines, type Sparkline } from './sparklines.js';

/**
 * Loads the largest groups of a range with their figures. Which groups are the largest is found first, over all groups,
 * without reading their histograms; the figures are then loaded for the groups that are shown. In a range that begins
 * before what is kept, the largest groups are found in the rest, and their figures are null. `now` is the time in
 * milliseconds since the epoch.
 *
 * @throws as loadEventRows() does.
 */
export async function loadTop(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  query: TopQuery,
  now: number,
): Promise<TopAnswer> {
  const { filters, by, search, order, limit } = query;
  const scope = { pageId, filters, by, search };
  const plan = await planPeriods(clickhouse, scope, query, now);
  const { period, previous, isKept, notes, stepMs } = plan;
  const { groups, known: found } = await rank(clickhouse, scope, { plan, order, limit });
  const known =
    query.countsOnly === true ? found.map((row) => ({ percentiles: notMeasured, ...row })) : found;
  const shown = known.map(({ service, endpoint, method, status }) => ({ service, endpoint, method, status }));
  const figuresOf = (of: { period: Period; known?: Ranked['known'] }) =>
    loadGroupFigures(clickhouse, scope, { plan, groups: shown, now, ...of });
  // Each is half of one core at most, and a third of the time is the way of a query.
  const [current, before, sparklines] = await Promise.all([
    figuresOf({ period, known }),
    previous === null ? null : figuresOf({ period: previous }),
    loadLines(clickhouse, scope, { plan, shown }),
  ]);
  const rows = shown.flatMap((group) => {
    const key = keyOf(group);
    const figures = current.get(key);
    if (figures === undefined) return [];
    return {
      ...group,
      now: figures,
      previous: before === null ? null : (before.get(key) ?? noTotals),
      sparkline: sparklines?.get(key) ?? null,
    };
  });
  rows.sort((a, b) => compare(a, b, order));
  return {
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    ...{ by, order, step: stepMs === null ? null : stepMs / 1000 },
    ...notes,
    unfinishedFrom: stepMs === null ? null : unfinishedFrom({ ...period, stepSeconds: stepMs / 1000, now }),
    ...{ groups: isKept ? groups : null, truncated: groups > limit },
    rows: isKept ? rows : rows.map((row) => ({ ...row, now: notKept })),
  };
}

async function loadLines(
  clickhouse: EventReader,
  scope: Scope,
  { plan, shown }: { plan: Plan; shown: readonly Group[] },
): Promise<Map<string, Sparkline> | null> {
  const { period, stepMs } = plan;
  if (stepMs === null) return null;
  const [parts, kept] = [plan.countsOf(period, stepMs), plan.keptInSteps(stepMs)];
  return loadSparklines(clickhouse, scope, { parts, groups: shown, period, kept, stepMs });
}

const rankedColumns = { ...countsColumns, groups: columns.count };
const rankedRow = rowType(Row(rankedColumns));
const measuredRow = rowType(Row({ ...rankedColumns, percentiles: Percentiles }));

const notMeasured: Static<typeof Percentiles> = [null, null, null];

/** The groups that are shown: with their counts, and their percentiles where those put them in order. */
type Ranked = { groups: number; known: (CountsRow & { percentiles?: Static<typeof Percentiles> })[] };

/**
 * Finds the largest groups, and how many there are in all. The histograms of all groups are read only when p95 chooses
 * among them.
 */
async function rank(
  clickhouse: EventReader,
  scope: Scope & { by: Grouping },
  { plan, order, limit }: { plan: Plan; order: Order; limit: number },
): Promise<Ranked> {
  const counts = plan.countsOf(plan.period);
  const isByP95 = order === 'p95';
  const histogram = isByP95 ? { histogram: plan.percentilesOf(plan.period) } : {};
  const source = partsSource(scope, { counts, ...histogram });
  const group = groupColumns[scope.by].join(', ');
  const percentiles = isByP95 ? `, ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles` : '';
  const ranking = isByP95
    ? 'if(sum(measured) = 0, -1, ifNotFinite(percentiles[2], -1)) DESC'
    : `${rankings[order]} DESC, sum(counted) DESC`;
  // Percentiles may be of a wider period than counts, and of a group without requests in the period itself.
  const query = {
    query: `SELECT ${selectCounts(scope)}, count() OVER () AS groups ${percentiles}
     FROM (${source.query}) ${groupBy(scope)} HAVING sum(counted) > 0
     ORDER BY ${ranking}, ${group}
     LIMIT {limit:UInt32}`,
    parameters: { ...source.parameters, limit },
    rowsMax: limit,
  };
  const rows = isByP95
    ? await loadEventRows(clickhouse, measuredRow, query)
    : await loadEventRows(clickhouse, rankedRow, query);
  return { groups: rows[0]?.groups ?? 0, known: rows };
}

const rankings: Record<Exclude<Order, 'p95'>, string> = {
  requests: 'sum(counted)',
  errors: 'sum(failed)',
  errorShare: 'sum(failed) / sum(counted)',
};

type Figures = Group & { now: Totals };

/**
 * Largest first. Under p95 a group without response times is last, and names decide among equals: percentiles are of a
 * wider period than counts, whose order would be another one where ClickHouse chooses.
 */
function compare(a: Figures, b: Figures, order: Order): number {
  const rankOf = values[order];
  const difference = rankOf(b.now) - rankOf(a.now);
  if (difference !== 0) return difference;
  return order === 'p95' ? compareNames(a, b) : values.requests(b.now) - values.requests(a.now);
}

/** Compares names by their bytes, as ClickHouse does. */
function compareNames(a: Group, b: Group): number {
  for (const column of ['service', 'endpoint', 'method', 'status'] as const) {
    const order = Buffer.compare(Buffer.from(`${a[column]}`), Buffer.from(`${b[column]}`));
    if (order !== 0) return order;
  }
  return 0;
}

const values: Record<Order, (totals: Totals) => number> = {
  requests: ({ requests }) => requests ?? -1,
  errors: ({ errors }) => errors ?? -1,
  errorShare: ({ errorShare }) => errorShare ?? -1,
  p95: ({ p95Ms }) => p95Ms ?? -1,
};

import Type, { type Static } from 'typebox';
import type { Totals } from '../../contract/analytics/figures.js';
import { minuteMs } from '../../lib/times.js';
import { percentilesOfBuckets } from '../../sql/latency-percentiles.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { amongGroups, type Group, groupBy, groupRow, keyOf, loadGroupSlices, selectGroup } from './groups.js';
import { type PartsSource, partsSource, type Scope } from './parts-source.js';
import type { Period } from './periods.js';
import type { Plan } from './plan-periods.js';

/** Columns of a group with its counts. */
export const countsColumns = {
  ...groupRow,
  requests: columns.count,
  errors: columns.count,
  clientErrors: columns.count,
  latencyCount: columns.count,
  latencySumUs: columns.count,
} as const;
const CountsRow = Row(countsColumns);
export type CountsRow = Static<typeof CountsRow>;
const Percentiles = Type.Tuple([columns.measured, columns.measured, columns.measured]);
type Percentiles = Static<typeof Percentiles>;
const countsRow = rowType(CountsRow);
const PercentilesRow = Row({ ...groupRow, percentiles: Percentiles });
type PercentilesRow = Static<typeof PercentilesRow>;
const percentilesRow = rowType(PercentilesRow);

/** The percentiles of groups, by `keyOf` the group. */
export type PercentilesOf = ReadonlyMap<string, Percentiles>;

type Asked = {
  plan: Plan;
  groups: readonly Group[];
  period: Period;
  now: number;
  /** The figures of the period that are known already. */
  counts?: readonly CountsRow[] | undefined;
  percentiles?: PercentilesOf | undefined;
};

/**
 * Loads the figures of these groups over a period, by `keyOf` the group. A group without requests is not among them. The
 * requests per second are counted up to `now`.
 *
 * @throws as loadEventRows() does.
 */
export async function loadGroupFigures(
  clickhouse: EventReader,
  scope: Scope,
  asked: Asked,
): Promise<Map<string, Totals>> {
  const { groups, period, now } = asked;
  const seconds = Math.max(minuteMs, Math.min(period.to, now) - period.from) / 1000;
  const found = new Map<string, Totals>();
  const load = async (slice: readonly Group[]) => {
    const part = { ...asked, groups: slice };
    const percentiles = asked.percentiles ?? (await loadPercentiles(clickhouse, scope, part));
    const keys = new Set(slice.map(keyOf));
    const rows =
      asked.counts?.filter((row) => keys.has(keyOf(row))) ?? (await loadCounts(clickhouse, scope, part));
    return rows.map((row) => ({ row, percentiles: percentiles.get(keyOf(row)) }));
  };
  for await (const rows of loadGroupSlices(groups, load)) {
    for (const { row, percentiles } of rows) {
      if (row.requests > 0) found.set(keyOf(row), toTotals(row, percentiles, seconds));
    }
  }
  return found;
}

function loadCounts(
  clickhouse: EventReader,
  scope: Scope,
  { plan, period, groups }: Asked,
): Promise<CountsRow[]> {
  const { query, parameters } = amongGroups(scope, groups, (among) =>
    partsSource(scope, plan.countsOf(period), { columns: 'counts', among }),
  );
  return loadEventRows(clickhouse, countsRow, {
    query: `SELECT ${selectCounts(scope)} FROM (${query}) ${groupBy(scope)}`,
    parameters,
    rowsMax: groups.length,
  });
}

/** Selects `countsColumns` from a subquery with counts. */
export function selectCounts(scope: Scope): string {
  return `${selectGroup(scope)}, sum(counted) AS requests, sum(failed) AS errors, sum(refused) AS clientErrors,
    sum(measured) AS latencyCount, sum(measuredUs) AS latencySumUs`;
}

async function loadPercentiles(
  clickhouse: EventReader,
  scope: Scope,
  { plan, period, groups }: Asked,
): Promise<PercentilesOf> {
  const source = amongGroups(scope, groups, (among) =>
    partsSource(scope, plan.percentilesOf(period), { columns: 'histogram', among }),
  );
  const rows = await loadPercentileRows(clickhouse, scope, { source, end: '', rowsMax: groups.length });
  return new Map(rows.map((row) => [keyOf(row), row.percentiles]));
}

/** Loads the percentiles of each group of a subquery with histograms; `end` is the end of the query. */
export function loadPercentileRows(
  clickhouse: EventReader,
  scope: Scope,
  { source, end, rowsMax }: { source: PartsSource; end: string; rowsMax: number },
): Promise<PercentilesRow[]> {
  return loadEventRows(clickhouse, percentilesRow, {
    query: `SELECT ${selectGroup(scope)},
       ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles
     FROM (${source.query}) ${groupBy(scope)} ${end}`,
    parameters: source.parameters,
    rowsMax,
  });
}

function toTotals(row: CountsRow, percentiles: Percentiles | undefined, seconds: number): Totals {
  const { requests, errors, clientErrors, latencyCount, latencySumUs } = row;
  const [p50Ms, p95Ms, p99Ms] = latencyCount > 0 ? (percentiles ?? []) : [];
  return {
    ...{ requests, errors, clientErrors },
    errorShare: requests === 0 ? null : errors / requests,
    requestsPerSecond: Number((requests / seconds).toPrecision(6)),
    averageMs: latencyCount > 0 ? Math.round(latencySumUs / latencyCount) / 1000 : null,
    ...{ p50Ms: p50Ms ?? null, p95Ms: p95Ms ?? null, p99Ms: p99Ms ?? null },
  };
}

/** The figures of a period that begins before what is kept. */
export const notKept: Totals = {
  ...{ requests: null, errors: null, clientErrors: null, errorShare: null, requestsPerSecond: null },
  ...{ averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null },
};

/** The figures of a period without requests. */
export const noTotals: Totals = {
  ...{ requests: 0, errors: 0, clientErrors: 0, errorShare: null, requestsPerSecond: 0 },
  ...{ averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null },
};

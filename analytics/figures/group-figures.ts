import Type, { type Static } from 'typebox';
import type { Totals } from '../../contract/analytics/figures.js';
import { minuteMs } from '../../lib/times.js';
import { percentilesOfBuckets } from '../../sql/latency-percentiles.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { amongGroups, type Group, groupBy, groupRow, keyOf, loadGroupSlices, selectGroup } from './groups.js';
import { partsSource, type Scope } from './parts-source.js';
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
export const Percentiles = Type.Tuple([columns.measured, columns.measured, columns.measured]);
export type Percentiles = Static<typeof Percentiles>;
const FiguresRow = Row({ ...countsColumns, percentiles: Percentiles });
type FiguresRow = Static<typeof FiguresRow>;
const figuresRow = rowType(FiguresRow);
const PercentilesRow = Row({ ...groupRow, percentiles: Percentiles });
type PercentilesRow = Static<typeof PercentilesRow>;
const percentilesRow = rowType(PercentilesRow);

type Asked = {
  plan: Plan;
  groups: readonly Group[];
  period: Period;
  now: number;
  /** Figures of the groups that are known already: their counts, or all of them. */
  known?: readonly (CountsRow & { percentiles?: Percentiles })[];
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
  { plan, groups, period, now, known }: Asked,
): Promise<Map<string, Totals>> {
  const seconds = Math.max(minuteMs, Math.min(period.to, now) - period.from) / 1000;
  const found = new Map<string, Totals>();
  const add = (row: CountsRow, percentiles: Percentiles | undefined) => {
    if (row.requests > 0) found.set(keyOf(row), toTotals(row, percentiles, seconds));
  };
  const asked = { plan, period };
  if (known === undefined) {
    const load = (slice: readonly Group[]) => loadFigures(clickhouse, scope, { ...asked, groups: slice });
    for await (const rows of loadGroupSlices(groups, load)) for (const row of rows) add(row, row.percentiles);
    return found;
  }
  for (const row of known) add(row, row.percentiles);
  if (known.every(({ percentiles }) => percentiles !== undefined)) return found;
  const counts = new Map(known.map((row) => [keyOf(row), row]));
  const load = (slice: readonly Group[]) => loadPercentiles(clickhouse, scope, { ...asked, groups: slice });
  for await (const rows of loadGroupSlices(groups, load)) {
    for (const row of rows) {
      const count = counts.get(keyOf(row));
      if (count !== undefined) add(count, row.percentiles);
    }
  }
  return found;
}

type Slice = Pick<Asked, 'plan' | 'period' | 'groups'>;

function loadFigures(
  clickhouse: EventReader,
  scope: Scope,
  { plan, period, groups }: Slice,
): Promise<FiguresRow[]> {
  const { query, parameters } = amongGroups(scope, groups, (among) =>
    partsSource(scope, { counts: plan.countsOf(period), histogram: plan.percentilesOf(period) }, { among }),
  );
  return loadEventRows(clickhouse, figuresRow, {
    query: `SELECT ${selectCounts(scope)}, ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles
     FROM (${query}) ${groupBy(scope)}`,
    parameters,
    rowsMax: groups.length,
  });
}

/** Selects `countsColumns` from a subquery with counts. */
export function selectCounts(scope: Scope): string {
  return `${selectGroup(scope)}, sum(counted) AS requests, sum(failed) AS errors, sum(refused) AS clientErrors,
    sum(measured) AS latencyCount, sum(measuredUs) AS latencySumUs`;
}

function loadPercentiles(
  clickhouse: EventReader,
  scope: Scope,
  { plan, period, groups }: Slice,
): Promise<PercentilesRow[]> {
  const { query, parameters } = amongGroups(scope, groups, (among) =>
    partsSource(scope, { histogram: plan.percentilesOf(period) }, { among }),
  );
  return loadEventRows(clickhouse, percentilesRow, {
    query: `SELECT ${selectGroup(scope)}, ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles
     FROM (${query}) ${groupBy(scope)}`,
    parameters,
    rowsMax: groups.length,
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

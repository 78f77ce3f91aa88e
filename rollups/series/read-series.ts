import {
  type MonitorSeries,
  monitorSeriesLimits,
  type SeriesPoint,
} from '../../contract/manage/monitor-checks.js';
import { cutPercent, middleOfBucket, roundMs } from '../../lib/figures.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { keptAt, keptSteps, noteRange } from '../../lib/kept.js';
import { ServiceError } from '../../lib/service-error.js';
import { stepsOf } from '../../lib/steps.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { segmentMsMax } from '../find-changed-hours.js';
import { type Span, without } from '../spans.js';
import type { SeriesQuery } from './parse-series.js';
import { checksStatement, daysStatement, hoursStatement } from './series-statements.js';

type Deps = { sql: Sql; clickhouse: ClickHouseClient };

type Row = {
  /** Steps since the epoch. */
  step: number;
  observedMs: number;
  upMs: number;
  checks: number;
  failed: number;
  measured: number;
  sumMs: number;
  /** The 50th, 95th and 99th percentile. */
  buckets: [number | null, number | null, number | null];
};

/** Spans outside maintenance and pauses, of which a statement has a list. */
const spansMax = 2_000;

/**
 * Reads the uptime and the response times of a monitor by step. Every step of the range has a point; what was not
 * observed or measured in it, and all of one that begins before what is kept, is null.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long or
 *   reads too much.
 */
export async function readSeries(
  deps: Deps,
  { pageId, monitorId }: { pageId: PageId; monitorId: MonitorId },
  query: SeriesQuery,
): Promise<MonitorSeries> {
  const { from, to, stepSeconds, source, now } = query;
  const parameters = { page: pageId, monitor: monitorId, from, to, step: stepSeconds };
  const rows =
    source === 'checks'
      ? await loadRows<Row>(
          deps.clickhouse,
          checksStatement(await loadCounted(deps.sql, monitorId, { from, to })),
          { ...parameters, now, reach: segmentMsMax },
        )
      : await loadRows<Row>(deps.clickhouse, source === 'hours' ? hoursStatement : daysStatement, parameters);
  const byStep = new Map(rows.map((row) => [row.step, row]));
  const { first } = stepsOf(query);
  const kept = keptAt(query.now, monitorSeriesLimits.days, keptUnitsMs[source]);
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step: stepSeconds,
    ...noteRange(query, kept),
    points: keptSteps(query, kept).map((isKept, i) => {
      const at = new Date((first + i) * stepSeconds * 1000).toISOString();
      return isKept ? toPoint(at, byStep.get(first + i)) : { at, ...notKept };
    }),
  };
}

/** The range of a query begins with a whole one. */
const keptUnitsMs: Readonly<Record<SeriesQuery['source'], number>> = {
  ...{ days: dayMs, hours: hourMs, checks: minuteMs },
};

const notKept: Omit<SeriesPoint, 'at'> = {
  ...{ uptime: null, checks: null, failed: null },
  ...{ averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null },
};

/** Loads the parts of a range outside maintenance and pauses, as they were last applied to points. */
async function loadCounted(sql: Sql, monitorId: MonitorId, range: Span): Promise<Span[]> {
  const excluded = await sql<Span[]>`
    select floor(extract(epoch from from_at) * 1000)::float8 as "from",
      floor(extract(epoch from to_at) * 1000)::float8 as "to"
    from applied_exclusions
    where monitor_id = ${monitorId} and from_at < ${new Date(range.to)} and to_at > ${new Date(range.from)}
    limit ${spansMax + 1}`;
  if (excluded.length > spansMax) {
    throw new ServiceError('sqlTooExpensive', {
      message: `The range has more than ${spansMax} times of maintenance and pauses. Narrow it.`,
    });
  }
  return without(range, excluded);
}

function toPoint(at: string, row: Row | undefined): SeriesPoint {
  const [p50 = null, p95 = null, p99 = null] = row?.buckets ?? [];
  const middleOf = (bucket: number | null) => (bucket === null ? null : middleOfBucket(bucket));
  return {
    at,
    uptime: row === undefined ? null : cutPercent(row.upMs, row.observedMs),
    checks: row?.checks ?? 0,
    failed: row?.failed ?? 0,
    averageMs: row === undefined || row.measured === 0 ? null : roundMs(row.sumMs / row.measured),
    p50Ms: middleOf(p50),
    p95Ms: middleOf(p95),
    p99Ms: middleOf(p99),
  };
}

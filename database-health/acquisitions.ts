import type { ClickHouseClient } from '@clickhouse/client';
import { type AcquisitionsAnswer, poolDimensions } from '../contract/database-health.js';
import { limits } from '../contract/limits.js';
import { acquisitionBoundsMs } from '../contract/pool-reports.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, keptSteps, noteRange } from '../lib/kept.js';
import { parseParameters, type QueryParameters } from '../lib/query-parameters.js';
import { checkPoints, parseSteppedRange, type SteppedRange, stepsOf } from '../lib/steps.js';
import { loadRows } from '../sql/load-rows.js';
import { type PoolFilters, parsePoolFilters } from './query.js';
import { acquisitionCounts, sourceOf } from './series.js';

export type AcquisitionsQuery = SteppedRange & { filters: PoolFilters };

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseAcquisitionsQuery(query: QueryParameters, now: number): AcquisitionsQuery {
  const given = parseParameters(query, ['from', 'to', 'step', ...poolDimensions]);
  const range = parseSteppedRange(given, now);
  checkPoints(range, 1);
  return { ...range, filters: parsePoolFilters(given) };
}

/**
 * Loads the histogram of the times that acquisitions took, per step, over all pools that pass the filters. Every step of
 * the range has a point; one in which no process measured acquisitions, or that begins before
 * what is kept, has no buckets.
 */
export async function loadAcquisitions(
  { clickhouse }: { clickhouse: ClickHouseClient },
  pageId: PageId,
  query: AcquisitionsQuery,
): Promise<AcquisitionsAnswer> {
  const { where, parameters } = sourceOf(pageId, query);
  const rows = await loadRows<{ step: number; counts: (number | null)[] }>(
    clickhouse,
    `SELECT intDiv(toUnixTimestamp(minute), {step:UInt32}) AS step, ${acquisitionCounts} AS counts
     FROM pools_minute WHERE ${where} GROUP BY step`,
    { ...parameters, step: query.stepSeconds },
  );
  const countsOf = new Map(rows.map(({ step, counts }) => [step, counts]));
  const { first } = stepsOf(query);
  const kept = keptAt(query.now, limits.eventRetentionDays);
  return {
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    step: query.stepSeconds,
    ...noteRange(query, kept),
    boundsMs: [...acquisitionBoundsMs],
    points: keptSteps(query, kept).map((isKept, i) => {
      const counts = isKept ? countsOf.get(first + i) : undefined;
      const buckets = counts?.filter((count) => count !== null) ?? [];
      return {
        at: new Date((first + i) * query.stepSeconds * 1000).toISOString(),
        buckets: buckets.length === 0 ? null : buckets,
      };
    }),
  };
}

import type { Grouping } from '../../contract/analytics/parameters.js';
import type { PageId } from '../../lib/ids.js';
import { conditionsOf } from '../event-filters.js';
import { countsOf, noCounts } from './levels.js';
import { type Level, type Part, subtract, within } from './periods.js';
import type { Question } from './question.js';

/** Which rows of a page are read. */
export type Scope = Question & { pageId: PageId };

/** Columns that make a group. */
export const groupColumns = {
  service: ['service'],
  endpoint: ['service', 'endpoint'],
  method: ['method'],
  status: ['status'],
} as const satisfies Record<Grouping, readonly string[]>;

/** A query, and the values of its parameters. */
export type PartsSource = { query: string; parameters: Record<string, unknown> };

/** The parts in which requests are counted, and those of whose response times percentiles are. */
export type Wanted = { counts?: readonly Part[]; histogram?: readonly Part[] };

/**
 * Returns a subquery with the sums of the parts of a period: one row or two per group, table and step. It has the columns
 * of the group, `step` with `stepSeconds` (in such steps since the epoch), and what is wanted of the columns of countsOf()
 * and the histogram `buckets`. Each table sums up its own rows, so that the servers of a cluster send sums.
 */
export function partsSource(
  scope: Scope,
  wanted: Wanted,
  { stepSeconds, among = [] }: { stepSeconds?: number; among?: string[] } = {},
): PartsSource {
  const { conditions, parameters } = conditionsOf(scope.filters);
  const where = ['page_id = {page:UUID}', ...conditions, ...searchConditions(scope), ...among];
  const group = scope.by === null ? [] : groupColumns[scope.by];
  const selects = selectionsOf(wanted).map(({ level: { table, time }, periods, columns }) => {
    const selected = [
      ...group,
      ...(stepSeconds === undefined ? [] : [`intDiv(toUnixTimestamp(${time}), {step:UInt32}) AS step`]),
      ...columns,
    ];
    const keys = [...group, ...(stepSeconds === undefined ? [] : ['step'])];
    return `SELECT ${selected.join(', ')} FROM ${table}
        WHERE ${[...where, within(time, periods)].join(' AND ')}
        ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`}`;
  });
  return {
    query: selects.join(' UNION ALL '),
    parameters: {
      ...{ page: scope.pageId, ...parameters },
      ...(scope.search !== '' && { search: scope.search }),
      ...(stepSeconds !== undefined && { step: stepSeconds }),
    },
  };
}

/**
 * Returns the parts with the columns that are read of each: both kinds at once in the periods that both have, because opening
 * the 90 parts of a table by the day a second time took a fifth of a read.
 */
function selectionsOf({ counts, histogram }: Wanted): (Part & { columns: string[] })[] {
  const none = {
    counts: histogram === undefined ? [] : [noBuckets],
    histogram: counts === undefined ? [] : [noCounts],
  };
  const periodsIn = (parts: readonly Part[] | undefined, { table }: Level) =>
    (parts ?? []).filter(({ level }) => level.table === table).flatMap(({ periods }) => periods);
  const counted = (counts ?? []).flatMap(({ level, periods }) => {
    const alone = subtract(periods, periodsIn(histogram, level));
    return [
      { level, periods: subtract(periods, alone), columns: [countsOf(level), buckets] },
      { level, periods: alone, columns: [countsOf(level), ...none.counts] },
    ];
  });
  const measured = (histogram ?? []).map(({ level, periods }) => ({
    level,
    periods: subtract(periods, periodsIn(counts, level)),
    columns: [...none.histogram, buckets],
  }));
  return [...counted, ...measured].filter(({ periods }) => periods.length > 0);
}

const buckets = 'sumMap(latency_buckets) AS buckets';
const noBuckets = "CAST(map(), 'Map(UInt16, UInt64)') AS buckets";

/**
 * Among services, the name of the service must match; within one service, the name of the endpoint; otherwise the name of the
 * service or of the endpoint.
 */
function searchConditions(scope: Scope): string[] {
  if (scope.search === '') return [];
  const others = scope.filters.service === undefined ? ['service', 'endpoint'] : ['endpoint'];
  const names = scope.by === 'service' ? ['service'] : others;
  const matches = names.map((name) => `positionCaseInsensitiveUTF8(${name}, {search:String}) > 0`);
  return [`(${matches.join(' OR ')})`];
}

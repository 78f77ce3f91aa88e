import type { Grouping } from '../../contract/analytics/parameters.js';
import type { PageId } from '../../lib/ids.js';
import { conditionsOf } from '../event-filters.js';
import { countsOf, type Question } from './levels.js';
import { type Part, within } from './periods.js';

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

/**
 * Returns a subquery with the sums of the parts of a period: one row per group, table and step. It has the columns of the
 * group, `step` with `stepSeconds` (in such steps since the epoch), and either the columns of countsOf() or the histogram
 * `buckets`. Each table sums up its own rows, so that the servers of a cluster send sums.
 */
export function partsSource(
  scope: Scope,
  parts: readonly Part[],
  {
    columns,
    stepSeconds,
    among = [],
  }: { columns: 'counts' | 'histogram'; stepSeconds?: number; among?: string[] },
): PartsSource {
  const { conditions, parameters } = conditionsOf(scope.filters);
  const where = ['page_id = {page:UUID}', ...conditions, ...searchConditions(scope), ...among];
  const group = scope.by === null ? [] : groupColumns[scope.by];
  const selects = parts.map(({ level, periods }) => {
    const { table, time } = level;
    const selected = [
      ...group,
      ...(stepSeconds === undefined ? [] : [`intDiv(toUnixTimestamp(${time}), {step:UInt32}) AS step`]),
      columns === 'histogram' ? 'sumMap(latency_buckets) AS buckets' : countsOf(level),
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

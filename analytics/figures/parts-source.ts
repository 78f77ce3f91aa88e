import type { Grouping } from '../../contract/analytics/parameters.js';
import type { PageId } from '../../lib/ids.js';
import { conditionsOf, type EventFilters } from '../event-filters.js';
import { type Parts, type Period, within } from './periods.js';

/** Which rows of a page are read. */
export type Scope = {
  pageId: PageId;
  filters: EventFilters;
  by: Grouping | null;
  /** A part of the name of the service or the endpoint; empty for all. */
  search: string;
};

/** Columns that make a group. */
export const groupColumns = {
  service: ['service'],
  endpoint: ['service', 'endpoint'],
  method: ['method'],
  status: ['status'],
} as const satisfies Record<Grouping, readonly string[]>;

/** Whether the rows must tell endpoints apart, which takes the larger tables. */
export function needsEndpoints({ filters, by, search }: Scope): boolean {
  return (
    filters.endpoint !== undefined ||
    filters.method !== undefined ||
    by === 'endpoint' ||
    by === 'method' ||
    (by === 'status' && search !== '')
  );
}

/**
 * Whether `endpoint_requests_6h` can answer: it tells endpoints and methods apart, and no statuses. The rows of one
 * endpoint are few enough to be read from the other tables, whose histograms are finer.
 */
export function canReadSixHours(scope: Scope): boolean {
  const { endpoint, status } = scope.filters;
  return needsEndpoints(scope) && endpoint === undefined && status === undefined && scope.by !== 'status';
}

const histogramState = 'quantilesBFloat16WeightedArrayMergeState(0.5, 0.95, 0.99)';

/** A query, and the values of its parameters. */
export type PartsSource = { query: string; parameters: Record<string, unknown> };

type Table = { name: string; time: string; periods: readonly Period[]; errors: string; clientErrors: string };

/**
 * Returns a subquery with the sums of the parts of a period: one row per group, table and step. It has the columns of the
 * group, `step` with `stepSeconds` (in such steps since the epoch), `counted`, and either `failed`, `refused`, `measured`
 * and `measuredUs`, or the state `histogram`. Each table sums up its own rows, so that the servers of a cluster send sums.
 */
export function partsSource(
  scope: Scope,
  parts: Parts,
  {
    columns,
    stepSeconds,
    among = [],
  }: { columns: 'counts' | 'histogram'; stepSeconds?: number; among?: string[] },
): PartsSource {
  const { conditions, parameters } = conditionsOf(scope.filters);
  const where = ['page_id = {page:UUID}', ...conditions, ...searchConditions(scope), ...among];
  const group = scope.by === null ? [] : groupColumns[scope.by];
  const selects = tablesOf(scope, parts)
    .filter(({ periods }) => periods.length > 0)
    .map(({ name, time, periods, errors, clientErrors }) => {
      const selected = [
        ...group,
        ...(stepSeconds === undefined ? [] : [`intDiv(toUnixTimestamp(${time}), {step:UInt32}) AS step`]),
        'sum(requests) AS counted',
        ...(columns === 'histogram'
          ? [`${histogramState}(latency_sketch) AS histogram`]
          : [
              `${errors} AS failed`,
              `${clientErrors} AS refused`,
              'sum(latency_count) AS measured',
              'sum(latency_sum_us) AS measuredUs',
            ]),
      ];
      const keys = [...group, ...(stepSeconds === undefined ? [] : ['step'])];
      return `SELECT ${selected.join(', ')} FROM ${name}
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

function tablesOf(scope: Scope, { sixHours, hours, minutes }: Parts): Table[] {
  const prefix = needsEndpoints(scope) ? '' : 'service_';
  const byStatus = {
    errors: 'sumIf(requests, status >= 500)',
    clientErrors: 'sumIf(requests, status BETWEEN 400 AND 499)',
  };
  return [
    {
      ...{ name: 'endpoint_requests_6h', time: 'start', periods: sixHours },
      ...{ errors: 'sum(errors)', clientErrors: 'sum(client_errors)' },
    },
    { name: `${prefix}requests_hour`, time: 'hour', periods: hours, ...byStatus },
    { name: `${prefix}requests_minute`, time: 'minute', periods: minutes, ...byStatus },
  ];
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

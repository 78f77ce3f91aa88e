import { type PoolDimension, poolDimensions } from '../contract/database-health.js';
import { normalizeAlias } from '../lib/alias.js';
import type { PageId } from '../lib/ids.js';
import { invalidValue, parseParameters, type QueryParameters } from '../lib/query-parameters.js';
import { checkPoints, parseSeriesMax, parseSteppedRange, type SteppedRange } from '../lib/steps.js';

export type PoolFilters = Readonly<Partial<Record<PoolDimension, string>>>;

export type DatabaseHealthQuery = SteppedRange & {
  filters: PoolFilters;
  groupBy: PoolDimension | null;
  limit: number;
};

const names = ['from', 'to', 'step', ...poolDimensions, 'groupBy', 'limit'] as const;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseDatabaseHealthQuery(query: QueryParameters, now: number): DatabaseHealthQuery {
  const given = parseParameters(query, names);
  const range = parseSteppedRange(given, now);
  const groupBy = parseGrouping(given.groupBy);
  const limit = parseSeriesMax(given);
  checkPoints(range, groupBy === null ? 1 : limit);
  return { ...range, filters: parsePoolFilters(given), groupBy, limit };
}

/** Returns the filters that are given, in the form in which reports are stored. */
export function parsePoolFilters(given: PoolFilters): PoolFilters {
  const filters: Partial<Record<PoolDimension, string>> = {};
  for (const dimension of poolDimensions) {
    const value = given[dimension];
    if (value !== undefined) filters[dimension] = normalizeAlias(value);
  }
  return filters;
}

function parseGrouping(value: string | undefined): PoolDimension | null {
  if (value === undefined) return null;
  const dimension = poolDimensions.find((known) => known === value);
  if (dimension === undefined) {
    throw invalidValue('groupBy', `one of ${poolDimensions.join(', ')}`, value);
  }
  return dimension;
}

/** Returns the column of the tables of pools that holds a dimension. */
export function columnOf(dimension: PoolDimension): string {
  return dimension === 'serverPool' ? 'server_pool' : dimension;
}

/** A condition of a query and the values of its parameters. */
export type Condition = { where: string; parameters: Record<string, unknown> };

/** Returns the condition for the rows of a page that pass the filters of these dimensions. */
export function conditionOf(
  pageId: PageId,
  filters: PoolFilters,
  dimensions: readonly PoolDimension[] = poolDimensions,
): Condition {
  const filtered = dimensions.filter((dimension) => filters[dimension] !== undefined);
  return {
    where: [
      'page_id = {page:UUID}',
      ...filtered.map((dimension) => `${columnOf(dimension)} = {${dimension}:String}`),
    ].join(' AND '),
    parameters: {
      page: pageId,
      ...Object.fromEntries(filtered.map((dimension) => [dimension, filters[dimension]])),
    },
  };
}

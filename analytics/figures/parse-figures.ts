import { figureLimits, type Order, orders } from '../../contract/analytics/figures.js';
import { type Grouping, groupings } from '../../contract/analytics/parameters.js';
import {
  invalidValue,
  type Parameters,
  parseInteger,
  parseParameters,
  parseRange,
  type QueryParameters,
} from '../../lib/query-parameters.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { type EventFilters, parseEventFilters } from '../event-filters.js';
import type { Period } from './periods.js';

export type TotalsQuery = {
  /** As asked for; roundPeriod() makes its ends whole. */
  range: Period;
  filters: EventFilters;
  /** Whether the period before is asked for. */
  comparesPrevious: boolean;
};

export type TopQuery = TotalsQuery & {
  by: Grouping;
  order: Order;
  /** A part of a name; empty for all names. */
  search: string;
  limit: number;
  /** About how many points a sparkline has; 0 for none. */
  points: number;
  /** Leaves out response times, whose histograms are most of the read. */
  countsOnly?: boolean;
};

const totalsNames = ['from', 'to', 'service', 'endpoint', 'method', 'status', 'compare'] as const;
const topNames = [...totalsNames, 'by', 'order', 'search', 'limit', 'points'] as const;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseTotalsQuery(query: QueryParameters, now: number): TotalsQuery {
  return parseTotals(parseParameters(query, totalsNames), now);
}

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseTopQuery(query: QueryParameters, now: number): TopQuery {
  const given = parseParameters(query, topNames);
  const { search = '', limit = `${figureLimits.groupsDefault}`, points = '0' } = given;
  if (search.length > figureLimits.searchLengthMax) {
    throw invalidValue('search', `a text of at most ${figureLimits.searchLengthMax} characters`, search);
  }
  return {
    ...parseTotals(given, now),
    by: parseOne('by', groupings, given.by ?? 'endpoint'),
    order: parseOne('order', orders, given.order ?? 'requests'),
    search: search.toWellFormed(),
    limit: parseInteger('limit', limit, 1, figureLimits.groups),
    points: parseInteger('points', points, 0, figureLimits.points),
  };
}

function parseTotals(given: Parameters<(typeof totalsNames)[number]>, now: number): TotalsQuery {
  return {
    range: parseRange(given, now),
    filters: parseEventFilters(given),
    comparesPrevious:
      given.compare !== undefined && parseOne('compare', ['previous'], given.compare) === 'previous',
  };
}

/** From this length on, a range consists of whole hours: cut hours cost more rows than two weeks of whole ones. */
const wholeHoursFromMs = dayMs;

/** A range begins and ends with a whole one, or with longer ones where those are all that is kept. */
export function roundingUnitMs({ from, to }: Period): number {
  return to - from < wholeHoursFromMs ? minuteMs : hourMs;
}

function parseOne<Value extends string>(name: string, allowed: readonly Value[], sent: string): Value {
  const value = allowed.find((known) => known === sent);
  if (value !== undefined) return value;
  throw invalidValue(name, allowed.length === 1 ? `${allowed[0]}` : `one of ${allowed.join(', ')}`, sent);
}

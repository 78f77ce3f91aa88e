import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs } from '../../lib/times.js';

/** A group of requests: all of a page, of a service, of an endpoint, or of an endpoint with one method. */
export type RuleLevel = 'page' | 'service' | 'endpoint' | 'method';

/** Names that are read; other endpoints of the pages are not. Each service may come with each endpoint. */
export type OnlyNames = { services: readonly string[]; endpoints: readonly string[] };

/** Windows that end together, and whose requests are read at once. `to` is a whole minute in milliseconds since the epoch. */
export type WindowsAsked = {
  pageIds: readonly PageId[];
  level: RuleLevel;
  to: number;
  /** Whole minutes. */
  windowsMinutes: readonly number[];
  /** For endpoints; all of the pages when absent. */
  only?: OnlyNames;
};

type Table = { name: string; time: string; stepMs: number };

/** Columns that tell the groups of a level apart. */
export const levelColumns = {
  page: ['page_id'],
  service: ['page_id', 'service'],
  endpoint: ['page_id', 'service', 'endpoint'],
  method: ['page_id', 'service', 'endpoint', 'method'],
} as const satisfies Record<RuleLevel, readonly string[]>;

/**
 * Returns a subquery with a row or two for each group: its columns, and those that `columnsOf` gives for the conditions of
 * the windows. Whole hours come from the table by the hour: a window of a day then has 83 rows at most in place of 1,440.
 */
export function windowSource(
  { level, to, windowsMinutes, only }: WindowsAsked,
  columnsOf: (conditions: readonly string[]) => readonly string[],
): string {
  const prefix = level === 'page' || level === 'service' ? 'service_' : '';
  const tables: Table[] = [
    { name: `${prefix}requests_minute`, time: 'minute', stepMs: minuteMs },
    { name: `${prefix}requests_hour`, time: 'hour', stepMs: hourMs },
  ];
  const among =
    only === undefined
      ? ''
      : 'AND service IN {services:Array(String)} AND endpoint IN {endpoints:Array(String)}';
  const selects = tables.flatMap(({ name, time, stepMs }) => {
    const conditions = windowsMinutes.map((minutes) => rangesOf(to, minutes, stepMs).map(within(time)));
    const rows = [...new Set(conditions.flat())];
    if (rows.length === 0) return [];
    const columns = columnsOf(conditions.map((ranges) => (ranges.length === 0 ? '0' : anyOf(ranges))));
    return [
      `SELECT ${[...levelColumns[level], ...columns].join(', ')} FROM ${name}
       WHERE page_id IN {pages:Array(UUID)} AND ${anyOf(rows)} ${among}
       GROUP BY ${levelColumns[level].join(', ')}`,
    ];
  });
  return selects.join(' UNION ALL ');
}

type Range = { from: number; to: number };

/** Returns the ranges of a window that a table with such steps answers: whole hours by the hour, the rest by the minute. */
function rangesOf(to: number, minutes: number, stepMs: number): Range[] {
  const from = to - minutes * minuteMs;
  const firstHour = Math.ceil(from / hourMs) * hourMs;
  const lastHour = Math.floor(to / hourMs) * hourMs;
  const hasHours = firstHour < lastHour;
  if (stepMs === hourMs) return hasHours ? [{ from: firstHour, to: lastHour }] : [];
  const edges = hasHours
    ? [
        { from, to: firstHour },
        { from: lastHour, to },
      ]
    : [{ from, to }];
  return edges.filter((edge) => edge.from < edge.to);
}

/** The values are whole numbers of this file, so they are no parameters. */
function within(time: string): (range: Range) => string {
  return ({ from, to }) =>
    `(${time} >= toDateTime(${from / 1000}, 'UTC') AND ${time} < toDateTime(${to / 1000}, 'UTC'))`;
}

const anyOf = (conditions: readonly string[]): string => `(${conditions.join(' OR ')})`;

/** Returns the parameters of a query with windowSource(). */
export function windowParameters({ pageIds, only }: WindowsAsked): Record<string, unknown> {
  return {
    pages: [...pageIds],
    ...(only !== undefined && { services: [...only.services], endpoints: [...only.endpoints] }),
  };
}

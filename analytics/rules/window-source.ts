import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { sliceNames } from '../../sql/slice-names.js';

/** A group of requests: all of a page, of a service, of an endpoint, or of an endpoint with one method. */
export type RuleLevel = 'page' | 'service' | 'endpoint' | 'method';

/** Names that are read; others of the pages are not. Each service may come with each endpoint. */
export type OnlyNames = { services?: readonly string[]; endpoints?: readonly string[] };

/** Windows that end together, and whose requests are read at once. `to` is a whole minute in milliseconds since the epoch. */
export type WindowsAsked = {
  pageIds: readonly PageId[];
  /** Levels that the same tables tell apart: page and service, or endpoint and method. */
  levels: readonly RuleLevel[];
  to: number;
  /** Whole minutes. */
  windowsMinutes: readonly number[];
  /** All of the pages when absent. */
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

/** Returns what is asked in parts whose names fit into parameters. Services that do not are all read. */
export function fitNames<Asked extends Pick<WindowsAsked, 'only'>>(asked: Asked): Asked[] {
  const { services, endpoints } = asked.only ?? {};
  const fitting = services !== undefined && sliceNames(services).length === 1 ? { services } : {};
  if (endpoints === undefined) return [{ ...asked, only: fitting }];
  return sliceNames(endpoints).map((slice) => ({ ...asked, only: { ...fitting, endpoints: slice } }));
}

const finestFirst = ['method', 'endpoint', 'service', 'page'] as const satisfies readonly RuleLevel[];

/**
 * Returns a subquery with a row or two for each group of the finest level: its columns, and those that `columnsOf` gives for the
 * conditions of the windows. Whole hours come from the table by the hour: a window of a day then has 83 rows at most in place
 * of 1,440.
 */
export function windowSource(
  { levels, to, windowsMinutes, only }: WindowsAsked,
  columnsOf: (conditions: readonly string[]) => readonly string[],
): string {
  const level = finestFirst.find((one) => levels.includes(one)) ?? 'page';
  const prefix = level === 'page' || level === 'service' ? 'service_' : '';
  const tables: Table[] = [
    { name: `${prefix}requests_minute`, time: 'minute', stepMs: minuteMs },
    { name: `${prefix}requests_hour`, time: 'hour', stepMs: hourMs },
  ];
  const among = [
    ...(only?.services === undefined ? [] : ['AND service IN {services:Array(String)}']),
    ...(only?.endpoints === undefined ? [] : ['AND endpoint IN {endpoints:Array(String)}']),
  ].join(' ');
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

/** Returns the names and the level of a group, for a query of windowSource(). A name is empty where the level has none. */
export function groupColumns({ levels }: Pick<WindowsAsked, 'levels'>): string {
  const known = new Set<string>(levels.flatMap((level) => levelColumns[level]));
  const names = ['service', 'endpoint', 'method'].map((name) => (known.has(name) ? name : `'' AS ${name}`));
  const isOf = (name: string) => (known.has(name) ? `grouping(${name}) = 0` : 'false');
  const level = `multiIf(${isOf('method')}, 'method', ${isOf('endpoint')}, 'endpoint', ${isOf('service')}, 'service', 'page')`;
  return ['toString(page_id) AS pageId', `${level} AS level`, ...names].join(', ');
}

/** Returns what groups a query of windowSource(): one read gives the groups of all levels. */
export function groupingSets({ levels }: Pick<WindowsAsked, 'levels'>): string {
  const sets = [...new Set(levels)].map((level) => `(${levelColumns[level].join(', ')})`);
  return `GROUPING SETS (${sets.join(', ')})`;
}

/** Returns the parameters of a query with windowSource(). */
export function windowParameters({ pageIds, only }: WindowsAsked): Record<string, unknown> {
  return {
    pages: [...pageIds],
    ...(only?.services !== undefined && { services: [...only.services] }),
    ...(only?.endpoints !== undefined && { endpoints: [...only.endpoints] }),
  };
}

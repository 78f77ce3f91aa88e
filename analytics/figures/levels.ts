import type { Grouping } from '../../contract/analytics/parameters.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import type { EventFilters } from '../event-filters.js';
import { type Compared, loadMissing, type Missing } from './missing-steps.js';
import { type Level, type Period, sixHoursMs, splitPeriod } from './periods.js';

/** Which requests are asked for, and what they are grouped by. */
export type Question = {
  filters: EventFilters;
  by: Grouping | null;
  /** A part of the name of the service or the endpoint; empty for all. */
  search: string;
};

/** Whether the rows must tell endpoints or methods apart, which takes the larger tables. */
function needsEndpoints({ filters, by, search }: Question): boolean {
  return (
    filters.endpoint !== undefined ||
    filters.method !== undefined ||
    by === 'endpoint' ||
    by === 'method' ||
    (by === 'status' && search !== '')
  );
}

/** Whether tables without a status can answer. */
function isOfAllStatuses({ filters, by }: Question): boolean {
  return filters.status === undefined && by !== 'status';
}

/** Whether the question is of a whole page or its methods, which have tables of their own. */
function isOfPage(question: Question): boolean {
  const { filters, by, search } = question;
  return (
    isOfAllStatuses(question) &&
    filters.service === undefined &&
    filters.endpoint === undefined &&
    (by === null || by === 'method') &&
    search === ''
  );
}

/**
 * Whether the question is of many endpoints. Their percentiles over a long range are of whole steps of six hours: the
 * hours at both ends would be most of the histograms that are read. One endpoint has few.
 */
export function isOfEndpoints(question: Question): boolean {
  const { endpoint } = question.filters;
  return (
    needsEndpoints(question) && isOfAllStatuses(question) && !isOfPage(question) && endpoint === undefined
  );
}

const nothing: Missing = { pages: [], days: [], sixHours: [], hours: [], minutes: [] };
const comparedTables: Readonly<Record<Compared, readonly string[]>> = {
  pages: ['page_requests_hour', 'page_requests_minute'],
  endpoints: ['endpoint_requests_day', 'endpoint_requests_6h', 'endpoint_requests_hour'],
  minutes: ['endpoint_requests_minute'],
};

/**
 * Loads the tables that can answer a question about these periods of a page, in steps of `unitMs`, as levelsOf() returns
 * them. What tables lack is found out only where one of them would take part. `now` is in milliseconds since the epoch.
 *
 * @throws as loadEventRows() does.
 */
export async function loadLevels(
  clickhouse: EventReader,
  pageId: PageId,
  question: Question,
  { periods, unitMs, now }: { periods: readonly Period[]; unitMs: number; now: number },
): Promise<Level[]> {
  let missing = nothing;
  // Tables of endpoints come after those of pages, and the one by minute last: for what the others lack.
  for (const compared of ['pages', 'endpoints', 'minutes'] as const) {
    const levels = levelsOf(question, missing);
    const parts = periods.flatMap((period) => splitPeriod(period, levels, unitMs));
    if (parts.some(({ level }) => comparedTables[compared].includes(level.table)))
      missing = { ...missing, ...(await loadMissing(clickhouse, pageId, compared, now)) };
  }
  return levelsOf(question, missing);
}

/** Returns the tables that can answer a question, those with the fewest rows first. The last two have every minute. */
export function levelsOf(question: Question, { pages, days, sixHours, hours, minutes }: Missing): Level[] {
  const ofEndpoints = needsEndpoints(question);
  const prefix = ofEndpoints ? '' : 'service_';
  const merged = { hasStatus: false, isByTime: false, hasBuckets: true };
  const whole = { hasStatus: true, isByTime: false, hasBuckets: true, missing: [] };
  const byTime = { hasStatus: false, isByTime: true };
  const isList = isOfEndpoints(question);
  return [
    ...(isOfPage(question)
      ? [
          { ...merged, table: 'page_requests_hour', time: 'hour', stepMs: hourMs, missing: pages },
          { ...merged, table: 'page_requests_minute', time: 'minute', stepMs: minuteMs, missing: pages },
        ]
      : []),
    ...(ofEndpoints && isOfAllStatuses(question)
      ? [
          { ...merged, table: 'endpoint_requests_day', time: 'day', stepMs: dayMs, missing: days },
          { ...merged, table: 'endpoint_requests_6h', time: 'start', stepMs: sixHoursMs, missing: sixHours },
        ]
      : []),
    ...(isList
      ? [
          {
            ...{ ...byTime, hasBuckets: false, table: 'endpoint_requests_hour' },
            ...{ time: 'hour', stepMs: hourMs, missing: hours },
          },
        ]
      : []),
    { ...whole, table: `${prefix}requests_hour`, time: 'hour', stepMs: hourMs },
    ...(isList
      ? [
          {
            ...{ ...byTime, hasBuckets: true, table: 'endpoint_requests_minute' },
            ...{ time: 'minute', stepMs: minuteMs, missing: minutes },
          },
        ]
      : []),
    { ...whole, table: `${prefix}requests_minute`, time: 'minute', stepMs: minuteMs },
  ];
}

/** The columns of countsOf() for rows that are not counted. */
export const noCounts = ['counted', 'failed', 'refused', 'measured', 'measuredUs']
  .map((name) => `toUInt64(0) AS ${name}`)
  .join(', ');

/** Returns the columns of the counts of a table, as `counted`, `failed`, `refused`, `measured` and `measuredUs`. */
export function countsOf({ hasStatus }: Level): string {
  const [failed, refused] = hasStatus
    ? ['sumIf(requests, status >= 500)', 'sumIf(requests, status BETWEEN 400 AND 499)']
    : ['sum(errors)', 'sum(client_errors)'];
  return `sum(requests) AS counted, ${failed} AS failed, ${refused} AS refused, sum(latency_count) AS measured,
    sum(latency_sum_us) AS measuredUs`;
}

import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import type { KeptSince } from './kept-figures.js';
import { type Compared, loadMissing, type Missing } from './missing-steps.js';
import { type Level, type Period, sixHoursMs, splitPeriod } from './periods.js';
import { isOfAllStatuses, isOfEndpoints, isOfPage, needsEndpoints, type Question } from './question.js';

const nothing: Missing = { pages: [], days: [], sixHours: [], hours: [], minutes: [] };

const comparedTables: Readonly<Record<Compared, readonly string[]>> = {
  pages: ['page_requests_hour', 'page_requests_minute'],
  endpoints: ['endpoint_requests_day', 'endpoint_requests_6h', 'endpoint_requests_hour'],
  minutes: ['endpoint_requests_minute'],
};

/**
 * Loads the tables that can answer a question about these periods of a page, in steps of each of `unitsMs`, as levelsOf()
 * returns them. What tables lack is found out only where one of them would take part. `since` is what the store has, and `now` in
 * milliseconds since the epoch.
 *
 * @throws as loadEventRows() does.
 */
export async function loadLevels(
  clickhouse: EventReader,
  pageId: PageId,
  question: Question,
  { periods, unitsMs, ...kept }: { periods: readonly Period[]; unitsMs: readonly number[] } & KeptLevels,
): Promise<Level[]> {
  const { now } = kept;
  const from = Math.min(...periods.map((period) => period.from));
  let missing = nothing;
  // Tables of endpoints come after those of pages, and the one by minute last: for what the others lack.
  for (const compared of ['pages', 'endpoints', 'minutes'] as const) {
    const levels = levelsOf(question, missing, kept);
    const parts = unitsMs.flatMap((unitMs) =>
      periods.flatMap((period) => splitPeriod(period, levels, unitMs)),
    );
    if (parts.some(({ level }) => comparedTables[compared].includes(level.table)))
      missing = { ...missing, ...(await loadMissing(clickhouse, pageId, compared, { from, now })) };
  }
  return levelsOf(question, missing, kept);
}

/** When the tables are read, in milliseconds since the epoch, and since when the store has hours and days. */
export type KeptLevels = { now: number; since: KeptSince };

/**
 * Returns the tables that can answer a question, those with the fewest rows first. The last two have every minute, and every
 * hour that is kept.
 */
export function levelsOf(
  question: Question,
  { pages, days, sixHours, hours, minutes }: Missing,
  { now, since }: KeptLevels,
): Level[] {
  // Two tables go after two weeks and a little more, so that they have the steps in which those begin.
  const twoWeeksAgo = now - limits.eventRetentionDays * dayMs;
  const gone = (spareMs: number, stepMs: number, droppedUntil = 0): Period => ({
    from: 0,
    to: Math.max(Math.ceil((twoWeeksAgo - spareMs) / stepMs) * stepMs, droppedUntil),
  });
  // An earlier version kept hours for two weeks exactly.
  const hoursUntil = Math.min(since.hoursFrom, Math.ceil(twoWeeksAgo / hourMs) * hourMs);
  const incomplete = incompleteDays(since);
  const ofEndpoints = needsEndpoints(question);
  const merged = { hasStatus: false, isByTime: false, hasBuckets: true };
  const withStatus = statusLevels(question, since);
  const byTime = { hasStatus: false, isByTime: true };
  const isList = isOfEndpoints(question);
  return [
    ...(isOfPage(question)
      ? [
          { ...merged, table: 'page_requests_day', time: 'day', stepMs: dayMs, missing: incomplete },
          { ...merged, table: 'page_requests_hour', time: 'hour', stepMs: hourMs, missing: pages },
          { ...merged, table: 'page_requests_minute', time: 'minute', stepMs: minuteMs, missing: pages },
        ]
      : []),
    ...(ofEndpoints && isOfAllStatuses(question)
      ? [
          { ...merged, table: 'endpoint_requests_day', time: 'day', stepMs: dayMs, missing: days },
          {
            ...{ ...merged, table: 'endpoint_requests_6h', time: 'start', stepMs: sixHoursMs },
            missing: [gone(sixHoursMs, sixHoursMs), ...sixHours],
          },
        ]
      : []),
    ...withStatus.days,
    ...(isList
      ? [
          {
            ...{ ...byTime, hasBuckets: false, table: 'endpoint_requests_hour' },
            ...{ time: 'hour', stepMs: hourMs, missing: [gone(2 * hourMs, hourMs, hoursUntil), ...hours] },
          },
        ]
      : []),
    withStatus.hours,
    ...(isList
      ? [
          {
            ...{ ...byTime, hasBuckets: true, table: 'endpoint_requests_minute' },
            ...{ time: 'minute', stepMs: minuteMs, missing: minutes },
          },
        ]
      : []),
    withStatus.minutes,
  ];
}

/**
 * Returns the tables whose rows are of one status each, for a question about endpoints or services. Those by hours and minutes
 * have every one that is kept.
 */
export function statusLevels(
  question: Question,
  since: KeptSince,
): { days: Level[]; hours: Level; minutes: Level } {
  const ofEndpoints = needsEndpoints(question);
  const prefix = ofEndpoints ? '' : 'service_';
  const whole = { hasStatus: true, isByTime: false, hasBuckets: true, missing: [] };
  const days = { ...whole, table: 'service_requests_day', time: 'day', stepMs: dayMs };
  return {
    days: ofEndpoints ? [] : [{ ...days, missing: incompleteDays(since) }],
    hours: { ...whole, table: `${prefix}requests_hour`, time: 'hour', stepMs: hourMs },
    minutes: { ...whole, table: `${prefix}requests_minute`, time: 'minute', stepMs: minuteMs },
  };
}

/** Days from before the tables by day are in those by the hour only. */
function incompleteDays({ daysFrom }: KeptSince): Period[] {
  return daysFrom === 0 ? [] : [{ from: 0, to: daysFrom }];
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

import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { type Period, sixHoursMs, within } from './periods.js';

/**
 * The periods that the tables of pages, of endpoints by day and by six hours do not have in full, oldest first: rows from
 * before a table was there are in the others only, and so may be those that a server of a cluster took before it had the
 * table.
 */
export type Missing = { pages: readonly Period[]; days: readonly Period[]; sixHours: readonly Period[] };

const StepRow = Row({
  startMs: columns.timeMs,
  services: columns.count,
  pages: columns.count,
  days: columns.count,
  sixHours: columns.count,
});
type StepRow = Static<typeof StepRow>;
const stepRow = rowType(StepRow);

/** A step that lacks rows gets none later, but a read in the middle of an insert sees a part of the tables changed. */
const lackingMs = minuteMs;
const completeMs = 10 * minuteMs;
/** Pages whose tables are compared; an entry has about 0.2 kB. */
const cachedMax = 10_000;

type Known = { at: number; missing: Missing };

/** By client, because each is of one store. The store of a page's own is asked each time. */
const known = new WeakMap<ClickHouseClient, LRUCache<PageId, Known>>();

/**
 * Loads what the tables for frequent questions lack of the time that is kept. All of them count the same requests, so the
 * sums tell. The answer is kept for ten minutes when nothing lacks, and for one otherwise: the query reads 150,000 rows of
 * a page with 2,000 endpoints. `now` is in milliseconds since the epoch.
 *
 * @throws as loadEventRows() does.
 */
export async function loadMissing(clickhouse: EventReader, pageId: PageId, now: number): Promise<Missing> {
  if ('loadRows' in clickhouse) return compareTables(clickhouse, pageId, now);
  const cache = known.get(clickhouse) ?? new LRUCache<PageId, Known>({ max: cachedMax });
  known.set(clickhouse, cache);
  const found = cache.get(pageId);
  if (found !== undefined && isFresh(found, now)) return found.missing;
  const missing = await compareTables(clickhouse, pageId, now);
  cache.set(pageId, { at: now, missing });
  return missing;
}

function isFresh({ at, missing }: Known, now: number): boolean {
  const isComplete = Object.values(missing).every((periods) => periods.length === 0);
  return now >= at && now < at + (isComplete ? completeMs : lackingMs);
}

async function compareTables(clickhouse: EventReader, pageId: PageId, now: number): Promise<Missing> {
  const period = {
    from: Math.floor((now - (limits.eventRetentionDays + 1) * dayMs) / dayMs) * dayMs,
    // Events may be a little ahead of the clock.
    to: Math.ceil((now + dayMs) / dayMs) * dayMs,
  };
  const sums = [
    { table: 'service_requests_hour', time: 'hour', counts: 'services' },
    { table: 'page_requests_hour', time: 'hour', counts: 'pages' },
    { table: 'endpoint_requests_6h', time: 'start', counts: 'sixHours' },
    { table: 'endpoint_requests_day', time: 'day', counts: 'days' },
  ] as const;
  const names = sums.map(({ counts }) => counts);
  const selects = sums.map(({ table, time, counts }) => {
    const values = names.map((name) => `${name === counts ? 'sum(requests)' : 'toUInt64(0)'} AS ${name}`);
    return `SELECT toStartOfInterval(${time}, INTERVAL 6 HOUR) AS step, ${values.join(', ')}
      FROM ${table} WHERE page_id = {page:UUID} AND ${within(time, [period])} GROUP BY step`;
  });
  const rows = await loadEventRows(clickhouse, stepRow, {
    query: `SELECT 1000 * toInt64(toUnixTimestamp(step)) AS startMs,
       ${names.map((name) => `sum(u.${name}) AS ${name}`).join(', ')}
     FROM (${selects.join(' UNION ALL ')}) AS u GROUP BY step ORDER BY step`,
    parameters: { page: pageId },
    rowsMax: (period.to - period.from) / sixHoursMs,
  });
  return {
    pages: findLacking(rows, sixHoursMs, 'pages', now),
    sixHours: findLacking(rows, sixHoursMs, 'sixHours', now),
    days: findLacking(rows, dayMs, 'days', now),
  };
}

/**
 * Returns the steps of a length in which a table counts other requests than that of services. A step that is running
 * counts as the one before it, whose requests show that the table is there: an insert changes one table after another.
 */
function findLacking(
  rows: readonly StepRow[],
  stepMs: number,
  counts: 'pages' | 'days' | 'sixHours',
  now: number,
): Period[] {
  const steps = new Map<number, { services: number; counted: number }>();
  for (const row of rows) {
    const start = Math.floor(row.startMs / stepMs) * stepMs;
    const { services = 0, counted = 0 } = steps.get(start) ?? {};
    steps.set(start, { services: services + row.services, counted: counted + row[counts] });
  }
  const isWhole = (start: number): boolean => {
    const step = steps.get(start);
    return step !== undefined && step.services > 0 && step.services === step.counted;
  };
  const lacking = [...steps].flatMap(([from, { services, counted }]) => {
    const isRunning = from + stepMs > now;
    return services === counted || (isRunning && isWhole(from - stepMs)) ? [] : [{ from, to: from + stepMs }];
  });
  return joinPeriods(lacking);
}

function joinPeriods(periods: readonly Period[]): Period[] {
  const joined: Period[] = [];
  for (const { from, to } of periods) {
    const last = joined.at(-1);
    if (last?.to === from) last.to = to;
    else joined.push({ from, to });
  }
  return joined;
}

import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { type Period, sixHoursMs, within } from './periods.js';

/**
 * The periods that the tables of pages, of endpoints by day and by six hours do not have in full, oldest first: rows from
 * before a table was there are in the others only, and so may be those that a server of a cluster took before it had the
 * table.
 */
export type Missing = Readonly<Record<Counts, readonly Period[]>>;
type Counts = 'pages' | 'days' | 'sixHours' | 'hours' | 'minutes';

const StepRow = Row({
  startMs: columns.timeMs,
  services: columns.count,
  pages: columns.count,
  days: columns.count,
  sixHours: columns.count,
  hours: columns.count,
  minutes: columns.count,
});
type StepRow = Static<typeof StepRow>;
const stepRow = rowType(StepRow);

/** A step that lacks rows gets none later, but a read in the middle of an insert sees a part of the tables changed. */
const lackingMs = minuteMs;
const completeMs = 10 * minuteMs;
/** Comparisons that are kept for a store; one has about 0.3 kB. */
const cachedMax = 10_000;

/** The tables of pages, of endpoints by the hour and more, or by the minute are compared with those of services. */
export type Compared = 'pages' | 'endpoints' | 'minutes';

/** How many days are compared; `endpoint_requests_minute` has only the last two. */
const shortDays: Readonly<Record<Compared, number>> = {
  pages: limits.eventRetentionDays,
  endpoints: limits.eventRetentionDays,
  minutes: 2,
};
const longDays = { ...shortDays, pages: limits.serviceHoursDays, endpoints: limits.endpointHoursDays };

type Known = { at: number; missing: Promise<Partial<Missing>>; freshMs: number };

/** By store: the client of the installation's, or the one that sessions of a page's own share. */
const known = new WeakMap<object, LRUCache<string, Known>>();

/**
 * Loads what the tables for frequent questions lack, for those that are compared: in the last two weeks, or in all that is
 * kept when the question begins before them, at `from`. All of them count the same requests, so the sums tell. The answer is
 * kept for ten minutes when nothing lacks, and for one otherwise, and reads at the same time share it: the query reads about
 * 0.8 million rows of a page with 2,000 endpoints, and 3 million by the minute. `from` and `now` are in milliseconds since
 * the epoch.
 *
 * @throws as loadEventRows() does.
 */
export function loadMissing(
  clickhouse: EventReader,
  pageId: PageId,
  compared: Compared,
  { from, now }: { from: number; now: number },
): Promise<Partial<Missing>> {
  // Percentiles of a range of two weeks begin with a whole day.
  const isLong = from < Math.floor((now - limits.eventRetentionDays * dayMs) / dayMs) * dayMs;
  const days = (isLong ? longDays : shortDays)[compared];
  const store = 'loadRows' in clickhouse ? clickhouse.store : clickhouse;
  const cache = known.get(store) ?? new LRUCache<string, Known>({ max: cachedMax });
  known.set(store, cache);
  const key = `${compared} ${days} ${pageId}`;
  const found = cache.get(key);
  if (found !== undefined && now >= found.at && now < found.at + found.freshMs) return found.missing;
  const missing = compareTables(clickhouse, pageId, { compared, keptFrom: now - days * dayMs, now });
  const one: Known = { at: now, missing, freshMs: completeMs };
  cache.set(key, one);
  missing.then(
    (of) => {
      if (Object.values(of).some((periods) => periods.length > 0)) one.freshMs = lackingMs;
    },
    () => {
      if (cache.get(key) === one) cache.delete(key);
    },
  );
  return missing;
}

async function compareTables(
  clickhouse: EventReader,
  pageId: PageId,
  { compared, keptFrom, now }: { compared: Compared; keptFrom: number; now: number },
): Promise<Partial<Missing>> {
  const period = {
    from: Math.ceil(keptFrom / sixHoursMs) * sixHoursMs,
    // Events may be a little ahead of the clock.
    to: Math.ceil((now + dayMs) / dayMs) * dayMs,
  };
  const tables = [
    { table: 'service_requests_hour', time: 'hour', counts: 'services', of: undefined },
    { table: 'page_requests_hour', time: 'hour', counts: 'pages', of: 'pages' },
    { table: 'endpoint_requests_6h', time: 'start', counts: 'sixHours', of: 'endpoints' },
    { table: 'endpoint_requests_day', time: 'day', counts: 'days', of: 'endpoints' },
    { table: 'endpoint_requests_hour', time: 'hour', counts: 'hours', of: 'endpoints' },
    { table: 'endpoint_requests_minute', time: 'minute', counts: 'minutes', of: 'minutes' },
  ] as const;
  const sums = tables.filter(({ of }) => of === undefined || of === compared);
  const names = tables.map(({ counts }) => counts);
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
  const lackingIn = (counts: Counts, stepMs: number, from = keptFrom) =>
    findLacking(rows, { counts, stepMs, keptFrom: from, now });
  if (compared === 'pages') return { pages: lackingIn('pages', sixHoursMs) };
  if (compared === 'minutes') {
    // No step that began before two days ago is whole, whatever was counted in it.
    const gone = { from: 0, to: period.from };
    const lacking = lackingIn('minutes', sixHoursMs).map(({ from, to }) => ({
      from: Math.max(from, gone.to),
      to,
    }));
    return { minutes: joinPeriods([gone, ...lacking]) };
  }
  // Two of the tables go after two weeks, so a long comparison finds nothing of them before.
  const shortFrom = Math.max(keptFrom, now - limits.eventRetentionDays * dayMs);
  return {
    sixHours: lackingIn('sixHours', sixHoursMs, shortFrom),
    days: lackingIn('days', dayMs),
    hours: lackingIn('hours', sixHoursMs, shortFrom),
  };
}

/**
 * Returns the steps of a length in which a table counts other requests than that of services. A step that is running
 * counts as the one before it, whose requests show that the table is there: an insert changes one table after another.
 * Tables drop what is no longer kept at different times, so steps that began before `keptFrom` are not compared: they
 * lack rows when the first that is compared does.
 */
function findLacking(
  rows: readonly StepRow[],
  { counts, stepMs, keptFrom, now }: { counts: Counts; stepMs: number; keptFrom: number; now: number },
): Period[] {
  const steps = new Map<number, { services: number; counted: number }>();
  for (const row of rows) {
    const start = Math.floor(row.startMs / stepMs) * stepMs;
    if (start < keptFrom) continue;
    const { services = 0, counted = 0 } = steps.get(start) ?? {};
    steps.set(start, { services: services + row.services, counted: counted + row[counts] });
  }
  const isWhole = (start: number): boolean => {
    const step = steps.get(start);
    return step !== undefined && step.services > 0 && step.services === step.counted;
  };
  const [first] = steps.keys();
  const lacking = [...steps].flatMap(([from, { services, counted }]) => {
    const isRunning = from + stepMs > now;
    if (services === counted || (isRunning && isWhole(from - stepMs))) return [];
    return [{ from: from === first ? 0 : from, to: from + stepMs }];
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

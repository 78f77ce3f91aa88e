import t from 'tap';
import { newId, type PageId } from '../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import {
  type DashboardQuery,
  intervalSecondsOf,
  queriesOf,
  readDashboards,
  substitute,
} from '../support/dashboards.js';
import { openTestClickHouse } from '../support/stores.js';

const { clickhouse } = await openTestClickHouse(t);
const queries = (await readDashboards()).flatMap(queriesOf);
/** The end of tomorrow in UTC: two weeks before are still kept, even if today ends meanwhile. */
const day = (Math.floor(Date.now() / dayMs) + 2) * dayMs;

type Range = { name: string; from: Date; to: Date };
/** A page whose only data is of one minute. */
type Page = { id: PageId; at: number };

const lengths = { '15 minutes': 15 * minuteMs, 'an hour': hourMs, 'a day': dayMs, '14 days': 14 * dayMs };
const ends = { '10:07:31': 36_451_000, '00:03:10': 190_000, '12:59:59': 46_799_000 };
const ranges: Range[] = Object.entries(ends).flatMap(([end, ms]) =>
  Object.entries(lengths).map(([length, lengthMs]) => ({
    name: `${length} until ${end}`,
    from: new Date(day + ms - lengthMs),
    to: new Date(day + ms),
  })),
);

const minuteOf = (ms: number) => Math.floor(ms / minuteMs) * minuteMs;
const makePage = (at: number): Page => ({ id: newId<PageId>(Date.now()), at });

t.test('every panel and variable has rows for data in the last minutes only', async (t) => {
  const cases = ranges.map((range) => ({
    range,
    page: makePage(minuteOf(range.to.getTime()) - 2 * minuteMs),
  }));
  await fill(cases.map(({ page }) => page));
  for (const { range, page } of cases) {
    for (const query of queries) {
      const name = `${range.name}, ${query.name}`;
      const rows = await rowsOf(query, range, page);
      t.ok(rows.length > 0, `${name}: it has rows`);
      // A graph shows what lies between its ends.
      if (query.isSeries)
        t.ok(
          rows.some((row) => isWithin(range, row)),
          `${name}: they are in the range`,
        );
    }
  }
});

t.test('every panel and variable has rows for data in the first minute only', async (t) => {
  const cases = ranges.map((range) => ({
    range,
    page: makePage(minuteOf(range.from.getTime() + minuteMs - 1)),
  }));
  await fill(cases.map(({ page }) => page));
  for (const { range, page } of cases) {
    for (const query of queries) {
      t.ok((await rowsOf(query, range, page)).length > 0, `${range.name}, ${query.name}`);
    }
  }
});

t.test('none has rows for data of the hour before or after', async (t) => {
  const range = { name: '', from: new Date(day + 9 * hourMs), to: new Date(day + 9 * hourMs + 900_000) };
  const pages = [makePage(range.from.getTime() - minuteMs), makePage(day + 10 * hourMs)];
  await fill(pages);
  for (const page of pages) {
    // It is a table of whole days.
    for (const query of queries.filter(({ name }) => !name.endsWith('Uptime by days'))) {
      const rows = await rowsOf(query, range, page);
      const sums = Object.values(rows[0] ?? {}).every((value) => value === null || Number(value) === 0);
      t.ok(rows.length === 0 || (rows.length === 1 && sums), query.name);
    }
  }
});

type Row = Record<string, unknown>;

/** The rows that show data of the page. Those of all pages are the ones that name it. */
async function rowsOf(query: DashboardQuery, range: Range, page: Page): Promise<Row[]> {
  const intervalSeconds = intervalSecondsOf(range, { points: 800, secondsMin: query.intervalSecondsMin });
  const sql = substitute(query.sql, { ...range, intervalSeconds, page: page.id, services: `''` });
  const answer = await clickhouse.query({
    query: sql,
    format: 'JSONEachRow',
    clickhouse_settings: { date_time_output_format: 'unix_timestamp' },
  });
  const rows = await answer.json<Row>();
  return query.sql.includes(`\${page}`) ? rows : rows.filter((row) => row['page'] === page.id);
}

function isWithin({ from, to }: Range, { time }: Row): boolean {
  const ms = Number(time) * 1000;
  return ms >= from.getTime() && ms <= to.getTime();
}

/** Writes the rows of one minute for each page, into every table that dashboards read. */
async function fill(pages: readonly Page[]): Promise<void> {
  const list = pages.map(({ id, at }) => `('${id}', ${at / 1000})`).join(', ');
  const source = `FROM values('id UUID, at UInt32', ${list})`;
  const common = `id AS page_id, 'api' AS service, toDateTime(at, 'UTC') AS minute`;
  const points = '60000, 59000, 10, 1, 9, 90, 1';
  for (const query of [
    `INSERT INTO landing_blocks (page_id, service, minute, kind, endpoint, method, status, requests, latency_count,
        latency_sum_us, latency_values_ms, latency_weights, message, message_at, reported_at)
      SELECT ${common}, 'service', '/a', 'GET', arrayJoin([500, 0]) AS status, 10, 10, 50000, [5], [10],
        if(status = 500, 'no such thing', ''), minute, minute ${source}`,
    `INSERT INTO pool_landing (page_id, service, minute, kind, environment, session, started_at, interval_from,
        interval_to, system, target, pool, coverage, busy, maximum, acquisition_counts)
      SELECT ${common}, arrayJoin(['report', 'pool']), 'production', generateUUIDv4(), minute, minute, minute,
        'postgresql', 'main', 'primary', 'complete', 2, 10, [10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] ${source}`,
    `INSERT INTO checks (page_id, monitor_id, at, interval_seconds, ok, up, error, status, total_ms)
      SELECT id, generateUUIDv4(), fromUnixTimestamp64Milli(at * 1000), 60, 0, 1, 'status', 500, 10 ${source}`,
    `INSERT INTO monitor_hours (page_id, monitor_id, hour, observed_ms, up_ms, checks, failed, measured, sum_ms, version)
      SELECT id, generateUUIDv4(), toStartOfHour(toDateTime(at, 'UTC')), ${points} ${source}`,
    `INSERT INTO monitor_days (page_id, monitor_id, day, observed_ms, up_ms, checks, failed, measured, sum_ms, version)
      SELECT id, generateUUIDv4(), toDate(toDateTime(at, 'UTC')), ${points} ${source}`,
  ]) {
    await clickhouse.command({ query });
  }
}

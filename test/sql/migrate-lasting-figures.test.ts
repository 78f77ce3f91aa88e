import { randomUUID } from 'node:crypto';
import t from 'tap';
import { keptInSteps, loadKeptSince } from '../../analytics/figures/kept-figures.js';
import { parseTotalsQuery } from '../../analytics/figures/parse-figures.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { nameQueries } from '../../bench/support/read-cost.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { migrateClickHouse } from '../../sql/migrate.js';
import { loadMigrations, splitStatements } from '../../sql/migration-files.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { insertRequests, newPageId } from '../analytics/support.js';
import { select } from '../support/rollups.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyClickHouse } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

const files = await loadMigrations('clickhouse');
const lasting = files.find(({ number }) => number === 20);
const now = Date.now();
/** How many days each table keeps from the migration on, and a little more. */
const keptDays = {
  requests_hour: 100,
  endpoint_requests_day: 100,
  service_requests_hour: 400,
  page_requests_hour: 400,
  endpoint_requests_hour: 14,
};

async function migrateBefore(clickhouse: ClickHouseClient): Promise<void> {
  for (const { number, text } of files) {
    if (number >= 20) continue;
    for (const query of splitStatements(text)) await clickhouse.command({ query });
  }
}

async function requestsIn(clickhouse: ClickHouseClient, table: string): Promise<number> {
  const [row] = await select<{ n: string }>(clickhouse, `SELECT sum(requests) AS n FROM ${table}`);
  return Number(row?.n);
}

/** Returns for how many days after its newest row the part that goes first is kept. */
async function leastDays(clickhouse: ClickHouseClient, table: string): Promise<number> {
  const [row] = await select<{ days: number }>(
    clickhouse,
    `SELECT min(dateDiff('hour', max_time, delete_ttl_info_max)) / 24 AS days FROM system.parts
     WHERE active AND database = currentDatabase() AND table = '${table}'`,
  );
  return row?.days ?? 0;
}

t.test('rows of the version before stay, for as long as new ones', async (t) => {
  const { clickhouse } = await openEmptyClickHouse(t);
  const page = newPageId();
  await migrateBefore(clickhouse);
  const ages = [hourMs, 2 * dayMs, 12 * dayMs];
  await insertRequests(
    clickhouse,
    page,
    ages.map((age) => ({ at: now - age })),
  );
  t.equal(await leastDays(clickhouse, 'requests_hour'), 14, 'two weeks before');

  // The server is busy, so the start finds no turn for any part, and does not wait.
  for (const table of Object.keys(keptDays))
    await clickhouse.command({ query: `SYSTEM STOP MERGES ${table}` });
  // An instance that is killed leaves the first statements, and another one begins again.
  const statements = splitStatements(lasting?.text ?? '');
  for (const query of statements.slice(0, Math.ceil(statements.length / 2)))
    await clickhouse.command({ query });
  await Promise.all([1, 2].map(() => migrateClickHouse({ clickhouse, log: silentLog })));
  for (const [table, days] of Object.entries(keptDays)) {
    t.equal(await leastDays(clickhouse, table), table.endsWith('_day') ? 15 : 14, `${table} waits`);
    await clickhouse.command({ query: `SYSTEM START MERGES ${table}` });
    await waitUntil(`${table} keeps its rows`, async () => (await leastDays(clickhouse, table)) > days);
    await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    t.equal(await requestsIn(clickhouse, table), ages.length, table);
  }
  t.equal(await requestsIn(clickhouse, 'page_requests_day'), 0, 'days begin empty');

  await insertRequests(clickhouse, page, [{ at: now - minuteMs }]);
  for (const table of ['page_requests_day', 'service_requests_day'])
    t.equal(await requestsIn(clickhouse, table), 1, table);
  const read = { clickhouse };
  const totals = await loadTotals(read, page, parseTotalsQuery({ from: 'now-14d' }, now), now);
  t.match(
    totals,
    { now: { requests: 4 }, keptFrom: null },
    'the day of the migration is read from the hours',
  );
  const series = await loadRequests(read, page, parseRequestsQuery({ from: 'now-14d', step: '86400' }, now));
  t.equal(
    series.series[0]?.points.reduce((sum, { count }) => sum + (count ?? 0), 0),
    4,
  );

  const since = await loadKeptSince(clickhouse);
  const begins = now - 13 * dayMs;
  t.ok(since.hoursFrom > begins && since.hoursFrom <= begins + 2 * hourMs, 'parts have a day for their turn');
  t.ok(since.daysFrom > now && since.daysFrom % dayMs === 0, 'the tables by day are whole from tomorrow on');
  const old = await loadTotals(read, page, parseTotalsQuery({ from: 'now-30d' }, now), now);
  t.equal(old.now.requests, null, 'what the version before dropped does not count as nothing');
  t.match(old.notKept, /^An earlier version kept figures for 14 days\. Those before .* are null\.$/);
});

t.test(
  'two instances migrate at once while blocks arrive: nothing counts twice, and nothing is lost',
  async (t) => {
    const { clickhouse, clickhouseUrl } = await openEmptyClickHouse(t);
    const page = newPageId();
    await migrateBefore(clickhouse);
    const instances = [1, 2].map(() => openClickHouse(clickhouseUrl));
    t.teardown(() => Promise.all(instances.map((instance) => instance.close())));
    const ages = [minuteMs, 2 * dayMs, 12 * dayMs];
    const tokens: string[] = [];
    const insert = async (token: string) => insertRequests(withToken(clickhouse, token), page, ages.map((age) => ({ at: now - age }))); // biome-ignore format: one block
    // An instance that hears nothing sends its block again, before or after the migration.
    const arrive = async () => {
      const token = randomUUID();
      await insert(token);
      if (tokens.push(token) % 2 === 0) await insert(token);
    };
    await arrive();

    let isOver = false;
    const migrated = Promise.all(
      instances.map((instance) => migrateClickHouse({ clickhouse: instance, log: silentLog })),
    ).finally(() => {
      isOver = true;
    });
    while (!isOver) await arrive();
    await migrated;
    t.ok(tokens.length > 2, 'blocks arrived meanwhile');
    const between = tokens.length;
    await arrive();
    const after = tokens.length - between;
    for (const token of tokens.slice(0, between)) await insert(token);

    const sent = tokens.length * ages.length;
    for (const table of [...Object.keys(keptDays), 'requests_minute', 'service_requests_minute'])
      t.equal(await requestsIn(clickhouse, table), sent, table);
    for (const table of ['page_requests_day', 'service_requests_day']) {
      const counted = await requestsIn(clickhouse, table);
      t.ok(counted >= after * ages.length && counted <= sent, `${table} counts each block once at most`);
    }
    const since = await loadKeptSince(clickhouse);
    t.ok(since.daysFrom > now && since.daysFrom % dayMs === 0, 'days are whole from tomorrow on');
    for (const from of ['now-13d', 'now-14d']) {
      const totals = await loadTotals({ clickhouse }, page, parseTotalsQuery({ from }, now), now);
      t.match(totals, { now: { requests: sent }, keptFrom: null }, from);
    }
  },
);

/** Returns the client with the settings of a block: a table that has the token takes no rows with it. */
function withToken(clickhouse: ClickHouseClient, token: string): ClickHouseClient {
  return new Proxy(clickhouse, {
    get(target, property) {
      if (property !== 'insert') return Reflect.get(target, property);
      return (asked: Parameters<ClickHouseClient['insert']>[0]) =>
        target.insert({
          ...asked,
          clickhouse_settings: {
            insert_deduplication_token: token,
            deduplicate_blocks_in_dependent_materialized_views: 1,
          },
        });
    },
  });
}

t.test('a new store has all that it was sent', async (t) => {
  const { clickhouse } = await openEmptyClickHouse(t);
  await migrateClickHouse({ clickhouse, log: silentLog });
  const page = newPageId();
  await insertRequests(clickhouse, page, [{ at: now - minuteMs }, { at: now - 13 * dayMs }]);
  await clickhouse.command({
    query: `ALTER TABLE migrations DELETE WHERE number = 20 SETTINGS mutations_sync = 1`,
  });
  await migrateClickHouse({ clickhouse, log: silentLog });
  const [rows] = await select(clickhouse, 'SELECT count() AS n FROM kept_since');
  t.same(rows, { n: '1' }, 'a migration that is repeated later keeps the first row');
  t.same(await loadKeptSince(clickhouse), { hoursFrom: 0, daysFrom: 0 });
  for (const from of ['now-30d', 'now-399d', 'now-2000d']) {
    const reader = { clickhouse: nameQueries(clickhouse, randomUUID()) };
    const answer = await loadTotals(reader, page, parseTotalsQuery({ from }, now), now);
    t.match(answer, { now: { requests: 2 }, keptFrom: null, notKept: null }, from);
  }
});

t.test('how long steps are kept', async (t) => {
  const since = { hoursFrom: 0, daysFrom: 0 };
  const days = (detail: 'page' | 'services' | 'endpoints', stepMs: number) =>
    Math.round((now - keptInSteps(detail, stepMs, { since, now }).from) / dayMs);
  t.same(
    (['page', 'services', 'endpoints'] as const).map((detail) => [
      days(detail, minuteMs),
      days(detail, hourMs),
      days(detail, dayMs),
    ]),
    [
      [14, 400, Math.round(now / dayMs)],
      [14, 400, 400],
      [14, 100, 100],
    ],
  );
  const upgraded = { hoursFrom: now - 20 * dayMs, daysFrom: Math.ceil(now / dayMs - 5) * dayMs };
  for (const detail of ['page', 'services', 'endpoints'] as const) {
    const { from, why } = keptInSteps(detail, hourMs, { since: upgraded, now });
    t.same([from, why], [upgraded.hoursFrom, 'An earlier version kept figures for 14 days.'], detail);
  }
  t.equal(
    keptInSteps('page', dayMs, { since: upgraded, now }).from,
    Math.ceil(upgraded.hoursFrom / dayMs) * dayMs,
    'a day whose hours are all there',
  );
  const later = now + 500 * dayMs;
  t.equal(keptInSteps('page', dayMs, { since: upgraded, now: later }).from, upgraded.daysFrom);
});

import t from 'tap';
import { loadCalls, parseCallsQuery } from '../../analytics/calls.js';
import { loadMessageGroups, parseMessageGroupsQuery } from '../../analytics/message-groups.js';
import { loadReporters } from '../../analytics/reporters.js';
import { loadReadCost, nameQueries } from '../../bench/support/read-cost.js';
import { minuteMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const { id: pageId } = await makePage(sql);
const now = Math.floor(Date.now() / minuteMs) * minuteMs;
const reporters = 200;
const days = 3;
const granule = 8_192;
await sql`
  insert into sources (page_id, kind, source, first_seen_at)
  select ${pageId}, 'reporter', 'reporter-' || number, now() from generate_series(0, ${reporters - 1}) as number`;
const bounds = { page: pageId, start: now / 1000 - days * 86_400, rows: days * 1_440 * reporters, reporters };
await clickhouse.command({
  query: `INSERT INTO reports
    SELECT {page:UUID}, 'reporter', concat('reporter-', toString(number % {reporters:UInt32})),
      toDateTime({start:UInt32} + 60 * (1 + intDiv(number, {reporters:UInt32})), 'UTC') AS minute, 1, minute
    FROM numbers({rows:UInt64})`,
  query_params: bounds,
});
await clickhouse.command({
  query: `INSERT INTO messages
    SELECT {page:UUID}, 'service', 'shop', concat('/', toString(number % {reporters:UInt32})),
      toDateTime({start:UInt32} + 60 * (1 + intDiv(number, {reporters:UInt32})), 'UTC') AS minute,
      (minute, 500, 'GET', concat('order ', toString(number), ' failed'))
    FROM numbers({rows:UInt64})`,
  query_params: bounds,
});
for (const table of ['reports', 'messages'])
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });

let reads = 0;

/** The rows that the queries of a read have read. */
async function rowsOf(read: (client: ClickHouseClient) => Promise<unknown>): Promise<number> {
  const name = `rows read ${++reads}`;
  await read(nameQueries(clickhouse, name));
  return (await loadReadCost(clickhouse, name)).rows;
}

t.test('calls read a row for each reporter and minute of the range', async (t) => {
  const rows = await rowsOf((client) =>
    loadCalls({ clickhouse: client, sql }, pageId, parseCallsQuery({ from: 'now-3d' }, now)),
  );
  t.ok(rows >= bounds.rows && rows <= bounds.rows + 3 * granule, String(rows));
  const one = { from: 'now-3d', reporter: 'reporter-7' };
  const few = await rowsOf((client) =>
    loadCalls({ clickhouse: client, sql }, pageId, parseCallsQuery(one, now)),
  );
  t.ok(few <= 2 * (days + 1) * granule, String(few));
});

t.test('reporters that report are judged from the last hour', async (t) => {
  const deps = { sql, clock: { now: () => now } };
  const rows = await rowsOf((client) =>
    loadReporters({ ...deps, clickhouse: client }, pageId, { windowSeconds: 3_600 }),
  );
  t.ok(rows > 0 && rows <= 2 * 1_440 * reporters, String(rows));
});

t.test('groups of messages read each minute once, and the texts of the newest', async (t) => {
  const query = parseMessageGroupsQuery({ from: 'now-3d' }, now);
  const rows = await rowsOf((client) => loadMessageGroups({ clickhouse: client }, pageId, query));
  t.ok(rows > 0 && rows <= bounds.rows + 40_000 + 2 * granule, String(rows));
});

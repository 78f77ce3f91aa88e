import { readFile } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import t from 'tap';
import { loadCalls, parseCallsQuery } from '../../analytics/calls.js';
import { loadFailureRate } from '../../analytics/failure-rates.js';
import { loadMessageGroups } from '../../analytics/message-groups.js';
import { loadMessages } from '../../analytics/messages.js';
import { loadReporters } from '../../analytics/reporters.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { openPageSql } from '../../analytics/sql/open-page-sql.js';
import { runPageSql } from '../../analytics/sql/run-sql.js';
import { loadSummaryPoints } from '../../analytics/summary/summary-points.js';
import { readableTables } from '../../contract/sql-tables.js';
import { loadStamps, makeStamps } from '../../control/copies/stamps.js';
import { loadAcquisitions, parseAcquisitionsQuery } from '../../database-health/acquisitions.js';
import { loadCurrentPools } from '../../database-health/current-pools.js';
import { loadExporterLoss } from '../../database-health/exporters.js';
import { recoverBlock } from '../../database-health/pool-reports/blocks.js';
import { insertPoolReports } from '../../database-health/pool-reports/insert-pool-reports.js';
import { parseDatabaseHealthQuery } from '../../database-health/query.js';
import { loadPoolSeries } from '../../database-health/series.js';
import { createClickHouseStore } from '../../ingest/commit/clickhouse-store.js';
import { systemClock } from '../../lib/clock.js';
import { type BlockId, type MonitorId, newId, type PageId, parseId } from '../../lib/ids.js';
import { hourMs } from '../../lib/times.js';
import { computeBatch } from '../../rollups/compute-batch.js';
import { confineStatements } from '../../sql/confine-sql-user.js';
import { migrate, migrateClickHouse, pendingMigrations } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { makePageNames } from '../support/batches.js';
import { captureLog } from '../support/capture-log.js';
import { startTestCluster, testClusterName, totals, totalsOf } from '../support/clickhouse-cluster.js';
import { insertFirstPart, makeChecks, makeFailures } from '../support/cluster-rows.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { likeServiceError } from '../support/like-service-error.js';
import { makePoolBlock } from '../support/pool-blocks.js';
import { select } from '../support/rollups.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';

const [{ sql }, [first, second]] = await Promise.all([openTestPostgres(t), startTestCluster(t)]);
const { clickhouse } = first;
const cluster = { name: testClusterName, url: first.url };
const files = (await pendingMigrations({ sql, clickhouse })).length;
const page = makePageNames();
const clusterDocs = await readFile(new URL('../../../docs/cluster.md', import.meta.url), 'utf8');
/** A database on the first server, outside the cluster. */
const aloneUrl = Object.assign(new URL(first.url), { pathname: '/alone' }).href;
const alone = openClickHouse(aloneUrl);
t.teardown(() => alone.close());

const makePools = (count: number) =>
  makePoolBlock(
    page.pageId,
    Array.from({ length: count }, () => ({ to: Date.now() })),
  );

t.test('every server of the cluster gets the tables once', async (t) => {
  const applied: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => applied.push(fields) };
  await migrate({ sql, clickhouse, cluster, log });
  t.equal(applied.length, 2 * files);
  for (const server of [first, second]) {
    t.same(await pendingMigrations({ sql, clickhouse: server.clickhouse }), []);
  }
  await migrate({ sql, clickhouse, cluster: { ...cluster, url: second.url }, log });
  t.equal(applied.length, 2 * files, 'a second run applies nothing');
});

t.test('a database is refused with another cluster than its own, or without its cluster', async (t) => {
  await t.rejects(migrateClickHouse({ clickhouse, log: silentLog }), {
    name: 'MigrationError',
    message: /made for the cluster "two"\. Either set CLICKHOUSE_CLUSTER to two/,
  });
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), { message: /made for the cluster "two"/ });
  await t.rejects(migrate({ sql, clickhouse, cluster: { ...cluster, name: 'three' }, log: silentLog }), {
    name: 'MigrationError',
    message: /has no cluster "three"/,
  });
  await ensureDatabase(aloneUrl);
  await migrateClickHouse({ clickhouse: alone, log: silentLog });
  const asCluster = { sql, clickhouse: alone, cluster: { ...cluster, url: aloneUrl }, log: silentLog };
  await t.rejects(migrate(asCluster), {
    name: 'MigrationError',
    message: /made without a cluster\. Either unset CLICKHOUSE_CLUSTER/,
  });
});

t.test('a block under one token counts once in every table, on any server', async (t) => {
  const bytes = makeFailures(page, 'same');
  const pools = makePools(20);
  for (const server of [first, second, first]) {
    await createClickHouseStore(server.clickhouse).insert(bytes, 'the first');
    await insertPoolReports(server, pools);
  }
  for (const server of [first, second]) {
    t.same(await totals(server.clickhouse), totalsOf(40, 20, 1));
    const { requests_minute, pools_minute } = await totals(server.clickhouse, '_local');
    t.ok(Number(requests_minute) > 5 && Number(pools_minute) > 1, 'each shard has some of the rows');
  }
  await createClickHouseStore(alone).insert(bytes, 'the first');
  await insertPoolReports({ clickhouse: alone }, pools);
});

t.test('queries of the cluster return what one server returns', async (t) => {
  const now = Date.now();
  const owners = Array.from({ length: 6 }, () => ({ pageId: page.pageId, monitorId: newId<MonitorId>(now) }));
  for (const store of [clickhouse, alone]) {
    const checks = owners.flatMap(({ monitorId }, i) =>
      makeChecks({ pageId: page.pageId, monitorId }, now, i),
    );
    await store.insert({ table: 'checks', values: checks, format: 'JSONEachRow' });
    await store.insert({ table: 'checks', values: checks, format: 'JSONEachRow' });
    const ranges = owners.map((owner) => ({
      ...owner,
      from: Math.floor(now / hourMs) - 3,
      to: Math.floor(now / hourMs) + 1,
    }));
    for (const version of [1n, 2n]) await computeBatch({ sql, clickhouse: store }, ranges, { version, now });
  }
  const range = { from: iso(now - 2 * hourMs), to: iso(now + hourMs), step: '60' };
  const clock = { now: () => now };
  const hours = { from: now - hourMs, to: now + hourMs, now };
  const answers = (store: ClickHouseClient) => {
    const deps = { clickhouse: store, sql, clock };
    const { pageId } = page;
    const pools = parseDatabaseHealthQuery({ ...range, groupBy: 'service' }, now);
    return Promise.all([
      loadRequests(deps, pageId, parseRequestsQuery(range, now)),
      loadRequests(deps, pageId, parseRequestsQuery({ ...range, groupBy: 'endpoint', limit: '10' }, now)),
      loadRequests(
        deps,
        pageId,
        parseRequestsQuery({ ...range, service: 'unassigned', groupBy: 'status' }, now),
      ),
      loadMessages(deps, pageId, { ...hours, filters: {}, limit: 15 }),
      loadMessageGroups(deps, pageId, { ...hours, filters: {}, limit: 15 }),
      loadReporters(deps, pageId, { windowSeconds: 3_600 }),
      loadCalls(deps, pageId, parseCallsQuery(range, now)),
      loadAcquisitions(deps, pageId, parseAcquisitionsQuery(range, now)),
      loadFailureRate(deps, pageId, { from: minuteOf(now) - hourMs, to: minuteOf(now) + 60_000 }),
      loadCurrentPools(deps, pageId, {}),
      loadExporterLoss(deps, pageId, pools),
      loadPoolSeries(deps, pageId, pools),
      loadSummaryPoints(deps, pageId, now).then((points) => [...points].sort()),
    ]);
  };
  const [spread, one] = [await answers(clickhouse), await answers(alone)];
  for (const [i, answer] of one.entries()) t.same(spread[i], answer);
  const [requests, , , messages, , , , , , , , , points] = one;
  t.equal(
    requests?.series[0]?.points.reduce((sum, { count }) => sum + (count ?? 0), 0),
    40,
  );
  t.equal(messages?.messages.length, 15);
  t.equal(points?.length, 6);
  t.same(await answers(second.clickhouse), one, 'through the other server, too');
});

t.test('the SQL of a page reads the rows of the page on all shards, and no local table', async (t) => {
  const pageSql = openPageSql({
    ...{ clickhouse, clickhouseUrl: first.url, secretKey: testSecretKey, cluster: testClusterName },
    clock: systemClock,
  });
  t.teardown(() => pageSql.sqlClient.close());
  const rowsOf = async (pageId: PageId, sql: string) =>
    (await runPageSql(pageSql, pageId, { sql, format: 'TSV' })).toString();
  const count = 'SELECT sum(requests) FROM requests_minute';
  t.equal(await rowsOf(page.pageId, count), '40\n');
  const joined = `SELECT count() FROM requests_minute AS r JOIN messages AS m USING (endpoint)
    WHERE (service, endpoint) IN (SELECT service, endpoint FROM requests_hour)`;
  t.equal(await rowsOf(page.pageId, joined), '40\n');
  for (const table of readableTables) {
    t.not(await rowsOf(page.pageId, `SELECT count() FROM ${table}`), '0\n', table);
    t.equal(await rowsOf(newId<PageId>(Date.now()), `SELECT count() FROM ${table}`), '0\n', table);
    await t.rejects(
      rowsOf(page.pageId, `SELECT count() FROM ${table}_local`),
      likeServiceError('invalidSql'),
    );
  }
  // Behind the check of the syntax tree, the confined user gets the rows of the page of the query on each server.
  const direct = await pageSql.sqlClient.query({ query: 'SELECT count() AS n FROM requests_minute_local' });
  t.match(await direct.json(), { data: [{ n: '0' }] });
  const statements = confineStatements({ database: 'heartline', password: 'x', onCluster: true });
  const documented = [...clusterDocs.matchAll(/^((?:CREATE ROW|GRANT SELECT ON heartline).*);$/gm)];
  t.equal(documented.length, 5);
  for (const [, statement] of documented) t.ok(statements.includes(statement ?? ''), String(statement));
  await second.clickhouse.command({
    query: "CREATE OR REPLACE VIEW shard_users_local AS SELECT 'default' AS user",
  });
  await t.rejects(rowsOf(page.pageId, count), likeServiceError('storeUnavailable', { message: /cluster/ }));
});

t.test('a lost shard makes reads fail, and counts nothing twice', async (t) => {
  const store = createClickHouseStore(clickhouse);
  const [bytes, pools] = [makeFailures(page, 'lost'), makePools(20)];
  await second.stop();
  await t.rejects(store.insert(bytes, 'while the shard is lost'));
  await t.rejects(insertPoolReports({ clickhouse }, pools));
  const range = { from: iso(Date.now() - hourMs), to: iso(Date.now()), step: '60' };
  await t.rejects(
    loadRequests({ clickhouse }, page.pageId, parseRequestsQuery(range, Date.now())),
    likeServiceError('storeUnavailable'),
  );
  await t.test(
    'a start succeeds without a server that has all files, and fails without one that lacks files',
    async (t) => {
      const { log, entries } = captureLog();
      await migrate({ sql, clickhouse, cluster, log });
      t.match(entries(), [{ servers: [/^127\.0\.0\.1:\d+$/] }]);
      const other = new URL(first.url);
      other.pathname = '/other';
      await ensureDatabase(other.href);
      const empty = openClickHouse(other.href);
      t.teardown(() => empty.close());
      await t.rejects(
        migrate({ sql, clickhouse: empty, cluster: { ...cluster, url: other.href }, log: silentLog }),
        { name: 'MigrationError', message: /do not answer \(127\.0\.0\.1:\d+\)/ },
      );
    },
  );
  await second.start();
  for (const server of [first, second]) {
    await createClickHouseStore(server.clickhouse).insert(bytes, 'while the shard is lost');
    await insertPoolReports(server, pools);
  }
  t.same(await totals(clickhouse), totalsOf(80, 40, 2));
});

t.test('a repeated block completes what one shard has of it', async (t) => {
  const bytes = makeFailures(page, 'half');
  const before = await totals(clickhouse, '_local');
  await insertFirstPart(clickhouse, bytes, 'half');
  const part =
    Number((await totals(clickhouse, '_local'))['requests_hour']) - Number(before['requests_hour']);
  t.ok(part > 5 && part < 35, 'one shard has its rows');
  await second.clickhouse.command({ query: 'RENAME TABLE requests_hour_local TO elsewhere' });
  await t.rejects(
    createClickHouseStore(clickhouse).insert(bytes, 'half'),
    'the other shard has the rows of some tables',
  );
  await second.clickhouse.command({ query: 'RENAME TABLE elsewhere TO requests_hour_local' });
  await createClickHouseStore(clickhouse).insert(bytes, 'half');
  t.same(await totals(clickhouse), totalsOf(120, 40, 3));
});

t.test(
  'a block of pool reports whose token may be forgotten adds only the rows that a shard lacks',
  async (t) => {
    const block = makePools(20);
    const shardOf = await select<{ session: string; first: 0 | 1 }>(
      clickhouse,
      `SELECT arrayJoin(['${block.reports.map(({ report }) => report.session).join("','")}'])::UUID AS session,
       cityHash64(toUUID('${page.pageId}'), session) % 2 = 0 AS first`,
    );
    const onFirst = new Set<string>(shardOf.filter(({ first }) => first === 1).map(({ session }) => session));
    t.ok(onFirst.size > 1 && onFirst.size < 19);
    const part = block.reports.filter(({ report }) => onFirst.has(report.session));
    await insertPoolReports({ clickhouse }, { ...block, reports: part });
    await clickhouse.command({
      query: `INSERT INTO pool_reports (page_id, block_id, kind, session, interval_to, minute, received_at)
      SELECT generateUUIDv4(1), generateUUIDv4(2), 'report', generateUUIDv4(3), now(), now(), now() FROM numbers(6000)`,
    });
    const body = deflateRawSync(JSON.stringify(block.reports));
    const past = new Date(Date.now() - 120_000);
    await sql`insert into pool_blocks (id, created_at, sealed_at) values (${block.id}, ${past}, ${past})`;
    await sql`insert into pool_block_parts (block_id, body) values (${block.id}, ${body})`;
    const id = parseId<BlockId>(block.id);
    if (id === undefined) throw new Error('A block has an id.');
    await recoverBlock({ sql, clickhouse, clock: { now: Date.now } }, id);
    const { pools_minute, pool_exporters_minute } = await totals(clickhouse);
    t.same({ pools_minute, pool_exporters_minute }, { pools_minute: 60, pool_exporters_minute: 60 });
  },
);

t.test('copies are on a shard by their id, and a view reads the newest of all shards', async (t) => {
  const ids = Array.from({ length: 20 }, (_, at) => newId<MonitorId>(at));
  for (const [version, { clickhouse: through }] of [first, second].entries()) {
    const values = ids.map((id) => {
      const data = JSON.stringify({ slug: `slug-${version}`, created_at: 1 });
      return { page_id: page.pageId, kind: 'monitor', id, version, deleted: 0, data };
    });
    await through.insert({ table: 'copies', values, format: 'JSONEachRow' });
  }
  const counted = 'SELECT toUInt32(count()) AS n, groupUniqArray(slug) AS slugs FROM sql_monitors';
  for (const { clickhouse: server } of [first, second]) {
    t.strictSame(await select(server, counted), [{ n: ids.length, slugs: ['slug-1'] }]);
    const own = 'SELECT toUInt32(uniqExact(id)) AS n FROM copies_local';
    const [{ n } = { n: 0 }] = await select<{ n: number }>(server, own);
    t.ok(n > 0 && n < ids.length, 'each shard has some of the rows');
  }
});

t.test('the stamps of copies tell that a shard has lost its rows', async (t) => {
  const load = () => loadStamps(second.clickhouse, cluster);
  await first.clickhouse.insert({ table: 'copies', values: makeStamps('7'), format: 'JSONEachRow' });
  t.strictSame(await load(), { lowest: 7n, highest: 7n });
  await first.clickhouse.insert({ table: 'copies', values: makeStamps('9'), format: 'JSONEachRow' });
  t.strictSame(await load(), { lowest: 9n, highest: 9n });
  await first.clickhouse.command({ query: 'TRUNCATE TABLE copies_local' });
  t.strictSame(await load(), { lowest: 0n, highest: 9n });
});

t.test('the statements of docs/cluster.md move checks and points to their shards', async (t) => {
  const statements = [...clusterDocs.matchAll(/^ *((?:INSERT INTO|ALTER TABLE) .* % 3 != N .*);$/gm)];
  t.equal(statements.length, 8);
  const count = 'SELECT toUInt32(count()) AS n, toUInt32(uniqExact(monitor_id)) AS monitors FROM';
  const read = (from: string, server = clickhouse) => select(server, `${count} ${from}`);
  const started = Date.now();
  const owners = Array.from({ length: 10 }, () => ({ pageId: page.pageId, monitorId: newId<MonitorId>(1) }));
  const values = owners.flatMap((owner, i) => makeChecks(owner, started, i));
  for (const { clickhouse: shard } of [first, second]) {
    await shard.insert({ table: 'checks_local', values, format: 'JSONEachRow' });
  }
  const before = await read('(SELECT DISTINCT monitor_id, at FROM checks)');
  t.notSame(await read('checks FINAL'), before, 'rows of one key on two shards count twice');
  for (const kind of ['INSERT', 'ALTER']) {
    for (const [number, { clickhouse: shard }] of [first, second].entries()) {
      for (const [, statement = ''] of statements.filter(([, text]) => text?.startsWith(kind))) {
        await shard.command({ query: statement.replace('% 3 != N', `% 2 != ${number}`) });
      }
    }
  }
  t.same(await read('checks FINAL'), before);
});

const iso = (ms: number): string => new Date(minuteOf(ms)).toISOString();

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000) * 60_000;
}

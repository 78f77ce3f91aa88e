import t from 'tap';
import { readableTables } from '../../contract/sql-tables.js';
import { confineStatements } from '../../sql/confine-sql-user.js';
import { migrateClickHouse } from '../../sql/migrate.js';
import { ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { queriesOf, readDashboards, type Substitution, substitute } from '../support/dashboards.js';
import { startDeployedClickHouse } from '../support/deployed-clickhouse.js';
import { silentLog } from '../support/silent-log.js';

const page = '0198a000-0000-7000-8000-00000000000a';
const other = '0198a000-0000-7000-8000-00000000000b';
const server = await startDeployedClickHouse(t);
await ensureDatabase(server.urlOf('heartline'));
const heartline = openClickHouse(server.urlOf('heartline'));
t.teardown(() => heartline.close());

/** The answer of the server, and its error code, 0 without an error. */
async function ask(user: 'heartline' | 'grafana', query: string): Promise<{ text: string; code: number }> {
  const url = new URL(server.urlOf(user));
  const answer = await fetch(`${url.origin}/?database=heartline`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': url.username, 'X-ClickHouse-Key': url.password },
    body: query,
  });
  return {
    text: await answer.text(),
    code: Number(answer.headers.get('x-clickhouse-exception-code') ?? 0),
  };
}

const accessDenied = 497;
const readonly = 164;
const constraintViolation = 452;
/** The storage of users is read-only. The server detects that after it has checked the rights. */
const noStorage = new Set([495, 514]);
const readsUrl = `SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')`;

t.test('the user of the service may do what the service does', async (t) => {
  await migrateClickHouse({ clickhouse: heartline, log: silentLog });
  for (const query of [
    `KILL QUERY WHERE query_id = 'none' ASYNC`,
    'SELECT count() FROM system.processes',
    'EXPLAIN AST SELECT 1',
    'ALTER TABLE messages DROP PARTITION 20200101',
  ]) {
    t.equal((await ask('heartline', query)).code, 0, query);
  }
});

t.test("it may create the user of tenants' SQL", async (t) => {
  for (const statement of confineStatements({ database: 'heartline', password: 'of-the-pages' })) {
    // This engine cannot store a user created through SQL, so an existing one stands in for it.
    const query = statement.replace(/(?<=(USER( IF NOT EXISTS)?|TO) )heartline_sql/, 'grafana');
    const { code } = await ask('heartline', query);
    t.ok(code === 0 || noStorage.has(code), `${code}: ${query.slice(0, 80)}`);
  }
});

t.test('it may do nothing outside its database', async (t) => {
  for (const query of [
    'CREATE DATABASE elsewhere',
    'SELECT * FROM system.users',
    'GRANT SELECT ON system.users TO grafana',
    'DROP USER grafana',
    readsUrl,
    'SYSTEM SHUTDOWN',
  ]) {
    t.equal((await ask('heartline', query)).code, accessDenied, query);
  }
});

t.test("Grafana's user reads the tables of the dashboards and changes nothing", async (t) => {
  for (const table of [...readableTables, 'checks', 'monitor_hours', 'monitor_days']) {
    t.equal((await ask('grafana', `SELECT * FROM ${table} LIMIT 0`)).code, 0, table);
  }
  for (const query of [
    'SELECT * FROM migrations',
    'SELECT * FROM pool_reports',
    'SELECT * FROM system.users',
    readsUrl,
    'INSERT INTO checks SELECT * FROM checks',
    'DROP TABLE checks',
  ]) {
    t.ok([accessDenied, readonly].includes((await ask('grafana', query)).code), query);
  }
});

t.test("it may set the timeout of a query, as Grafana's driver does, and no other setting", async (t) => {
  const codeWith = async (setting: string) => (await ask('grafana', `SELECT 1 SETTINGS ${setting}`)).code;
  t.equal(await codeWith('max_execution_time = 60'), 0);
  t.equal(await codeWith('max_execution_time = 600'), constraintViolation);
  t.equal(await codeWith('max_memory_usage = 0'), readonly);
  t.equal(await codeWith('readonly = 0'), readonly);
});

t.test('nobody can log in without a password', async (t) => {
  for (const user of ['heartline', 'grafana'] as const) {
    const { origin } = new URL(server.urlOf(user));
    t.equal((await fetch(`${origin}/?user=${user}&query=SELECT+1`)).status, 403, user);
  }
});

t.test('every query of the dashboards returns rows of the page only', async (t) => {
  await fillTables();
  const now = Date.now();
  const given: Substitution = {
    from: new Date(now - 3 * 86_400_000),
    to: new Date(now + 3_600_000),
    intervalSeconds: 3600,
    page,
    services: `''`,
  };
  const dashboards = await readDashboards();
  t.equal(dashboards.length, 2);
  for (const { name, sql, isSeries } of dashboards.flatMap(queriesOf)) {
    const answer = async (part: Partial<Substitution>): Promise<QueryAnswer> => {
      const { code, text } = await ask('grafana', `${substitute(sql, { ...given, ...part })} FORMAT JSON`);
      if (code !== 0) throw new Error(`${name}: ${text}`);
      return JSON.parse(text);
    };
    const all = await answer({});
    t.ok(all.data.length > 0, `${name}: it has rows`);
    if (isSeries)
      t.match(all.meta[0], { name: 'time', type: /^DateTime/ }, `${name}: it begins with the time`);
    const values = Object.values(all.data[0] ?? {});
    t.ok(
      values.every((value) => value !== null),
      `${name}: every column has a value`,
    );
    t.strictSame(
      (await answer({ services: `'api', 'none'` })).data,
      all.data,
      `${name}: with the service chosen`,
    );
    if (sql.includes(`\${page}`)) {
      const text = JSON.stringify(all.data);
      t.notMatch(text, /4711|beta/, `${name}: of no other page`);
      t.strictSame((await answer({ page: '' })).meta, all.meta, `${name}: without a page yet`);
    }
  }
});

type QueryAnswer = { meta: { name: string; type: string }[]; data: Record<string, unknown>[] };

/** One row of each kind for the page; the other page has values of 4711 and services named beta. */
async function fillTables(): Promise<void> {
  for (const [id, service, count] of [
    [page, 'api', 10],
    [other, 'beta', 4711],
  ] as const) {
    const common = `toUUID('${id}') AS page_id, '${service}' AS service, toStartOfMinute(now() - 3600) AS minute`;
    await heartline.command({
      query: `INSERT INTO landing_blocks (page_id, service, minute, kind, endpoint, method, status, requests, latency_count,
          latency_sum_us, latency_values_ms, latency_weights, message, message_at, reported_at)
        SELECT ${common}, 'service', '/a', 'GET', arrayJoin([500, 0]) AS status, ${count}, ${count}, ${count} * 5000,
          [5], [${count}], if(status = 500, 'no such thing', ''), now64(3), now64(3)`,
    });
    await heartline.command({
      query: `INSERT INTO pool_landing (page_id, service, minute, kind, environment, session, started_at, interval_from, interval_to,
          exporter_dropped, exporter_failures, system, target, pool, coverage, busy, maximum, peak_busy, peak_waiting,
          acquisition_counts, acquisition_sum_us, failures, created, closed)
        SELECT ${common}, arrayJoin(['report', 'pool']), 'production', generateUUIDv4(), now64(3), now64(3), now64(3),
          1, 1, 'postgresql', 'main', 'primary', 'complete', 2, ${count}, ${count}, 1,
          [${count}, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1000, 1, 1, 1`,
    });
    await heartline.command({
      query: `INSERT INTO checks (page_id, monitor_id, at, interval_seconds, ok, up, error, status, total_ms)
        SELECT toUUID('${id}'), generateUUIDv4(), now64(3) - 60, 60, 0, 1, 'status', 500, ${count}`,
    });
    for (const [table, column, value] of [
      ['monitor_hours', 'hour', 'toStartOfHour(now())'],
      ['monitor_days', 'day', 'toDate(now())'],
    ]) {
      await heartline.command({
        query: `INSERT INTO ${table} (page_id, monitor_id, ${column}, observed_ms, up_ms, checks, failed, measured, sum_ms, version)
          SELECT toUUID('${id}'), generateUUIDv4(), ${value}, 60000, 59000, ${count}, 1, 1, ${count}, 1`,
      });
    }
  }
}

import t from 'tap';
import { migrate, pendingMigrations } from '../../sql/migrate.js';
import { loadMigrations, splitStatements } from '../../sql/migration-files.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyClickHouse, openEmptyPostgres, openStores } from '../support/stores.js';

t.test('both stores get every file once and in order, and none is pending afterwards', async (t) => {
  const { sql } = await openEmptyPostgres(t);
  const { clickhouse } = await openEmptyClickHouse(t);
  const postgresNames = (await loadMigrations('postgres')).map((file) => file.name);
  const clickhouseNames = (await loadMigrations('clickhouse')).map((file) => file.name);
  const all = [
    ...postgresNames.map((name) => `postgres/${name}`),
    ...clickhouseNames.map((name) => `clickhouse/${name}`),
  ];
  t.same(await pendingMigrations({ sql, clickhouse }), all);

  const applied: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => applied.push(fields) };
  await migrate({ sql, clickhouse, log });
  t.same(applied, [
    ...postgresNames.map((migration) => ({ store: 'postgres', migration })),
    ...clickhouseNames.map((migration) => ({ store: 'clickhouse', migration })),
  ]);
  t.same(await pendingMigrations({ sql, clickhouse }), []);
  await migrate({ sql, clickhouse, log });
  t.equal(applied.length, all.length, 'a second run applies nothing');

  const [pages] = await sql`select count(*)::integer as count from pages`;
  t.equal(pages?.['count'], 0);
  await clickhouse.command({ query: 'SELECT * FROM requests_minute FORMAT Null' });
});

t.test('three instances that start at the same time apply each file once', async (t) => {
  const { sql, databaseUrl } = await openEmptyPostgres(t);
  const { clickhouse } = await openEmptyClickHouse(t);
  const applied: string[] = [];
  const log = { ...silentLog, info: (fields: object) => applied.push(JSON.stringify(fields)) };
  const instances = [1, 2, 3].map(() => openPostgres(databaseUrl));
  t.teardown(() => Promise.all(instances.map((instance) => instance.end({ timeout: 5 }))));

  await Promise.all(instances.map((instance) => migrate({ sql: instance, clickhouse, log })));

  t.equal(new Set(applied).size, applied.length, 'no file was applied twice');
  t.same(await pendingMigrations({ sql, clickhouse }), []);
  const records = await clickhouse.query({
    query: 'SELECT count() AS rows, uniqExact(number) AS files FROM migrations',
    format: 'JSONEachRow',
  });
  const [counts] = await records.json<{ rows: number; files: number }>();
  t.equal(counts?.rows, counts?.files);
});

t.test('a ClickHouse file is applied again when only its first statement ran', async (t) => {
  const { sql } = await openEmptyPostgres(t);
  const { clickhouse } = await openEmptyClickHouse(t);
  const files = await loadMigrations('clickhouse');
  for (const file of files.slice(0, 2)) {
    const [first] = splitStatements(file.text);
    await clickhouse.command({ query: first ?? '' });
  }
  await migrate({ sql, clickhouse, log: silentLog });
  t.same(await pendingMigrations({ sql, clickhouse }), []);
  await clickhouse.command({ query: 'SELECT * FROM landing_to_requests_minute FORMAT Null' });
});

t.test('a ClickHouse file is applied again when its record is missing', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await clickhouse.command({ query: 'TRUNCATE TABLE migrations' });
  t.not((await pendingMigrations({ sql, clickhouse })).length, 0);
  await migrate({ sql, clickhouse, log: silentLog });
  t.same(await pendingMigrations({ sql, clickhouse }), []);
});

t.test('samples come right when a database has the files behind them already', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await clickhouse.command({ query: 'DROP VIEW landing_blocks_to_failures' });
  await clickhouse.command({ query: 'DROP VIEW landing_blocks_to_message_texts' });
  await clickhouse.command({ query: 'DROP TABLE failures SYNC' });
  await clickhouse.command({
    query: 'ALTER TABLE migrations DELETE WHERE number = 18',
    clickhouse_settings: { mutations_sync: '2' },
  });
  t.same(await pendingMigrations({ sql, clickhouse }), ['clickhouse/0018_failures.sql']);
  await migrate({ sql, clickhouse, log: silentLog });
  t.same(await pendingMigrations({ sql, clickhouse }), []);
  await clickhouse.command({
    query: `INSERT INTO landing_blocks (page_id, kind, service, endpoint, method, status, minute, requests, message, message_at)
      SELECT generateUUIDv4(), 'service', 'shop', '/pay', 'GET', 500, now(), 2,
        concat('no price', char(0), '[{"e":"E","n":2,"s":[[-5,"no price","","","1.2","",[]]]}]'), now64(3)`,
  });
  const loaded = await clickhouse.query({
    query: `SELECT failures, samples[1].message AS sampled, samples[1].version AS version, latest.message AS message
      FROM failures JOIN messages USING (page_id)`,
    format: 'JSONEachRow',
  });
  t.same(await loaded.json(), [{ failures: 2, sampled: 'no price', version: '1.2', message: 'no price' }]);
});

t.test('a PostgreSQL file that fails changes nothing', async (t) => {
  const { sql } = await openEmptyPostgres(t);
  const { clickhouse } = await openEmptyClickHouse(t);
  // The last table of the first file exists, so the file fails after its first statements.
  await sql`create table keys (a integer)`;
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), {
    message: 'relation "keys" already exists',
  });
  const [left] =
    await sql`select to_regclass('accounts') as accounts, to_regclass('migrations') as migrations`;
  t.same({ ...left }, { accounts: null, migrations: null });
  await sql`drop table keys`;
  await migrate({ sql, clickhouse, log: silentLog });
  t.same(await pendingMigrations({ sql, clickhouse }), []);
});

t.test('a changed PostgreSQL file is refused', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await sql`update migrations set checksum = 'other' where number = 1`;
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), {
    name: 'MigrationError',
    message:
      'sql/postgres/0001_control.sql is not the file that was applied to the PostgreSQL database. Restore the file and put the change into a new one.',
  });
});

t.test('a changed ClickHouse file is refused', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await clickhouse.command({ query: 'TRUNCATE TABLE migrations' });
  await clickhouse.insert({
    table: 'migrations',
    values: [{ number: 1, name: '0001_landing.sql', checksum: 'other' }],
    format: 'JSONEachRow',
  });
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), {
    name: 'MigrationError',
    message: /^sql\/clickhouse\/0001_landing\.sql is not the file/,
  });
});

t.test('a PostgreSQL database of a newer version is refused', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await sql`insert into migrations (number, name, checksum) values (9000, '9000_later.sql', 'x')`;
  const refusal = {
    name: 'MigrationError',
    message:
      'The PostgreSQL database is newer than this version of Heartline: 9000_later.sql was applied to it. Start the newer version.',
  };
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), refusal);
  await t.rejects(pendingMigrations({ sql, clickhouse }), refusal);
});

t.test('a ClickHouse database of a newer version is refused', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await clickhouse.insert({
    table: 'migrations',
    values: [{ number: 9000, name: '9000_later.sql', checksum: 'x' }],
    format: 'JSONEachRow',
  });
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), {
    name: 'MigrationError',
    message: /^The ClickHouse database is newer .* 9000_later\.sql/,
  });
});

t.test('a statement ends with a line that ends in a semicolon', async (t) => {
  const text =
    "-- About a; and b;\nCREATE TABLE a\n(\n  x UInt8 COMMENT 'one; two'\n);\n\nSELECT 1; \n-- the end\n";
  t.same(splitStatements(text), ["CREATE TABLE a\n(\n  x UInt8 COMMENT 'one; two'\n)", 'SELECT 1']);
});

t.test('a last statement needs no semicolon, and a file of comments has no statement', async (t) => {
  t.same(splitStatements('SELECT 1;\nSELECT 2'), ['SELECT 1', 'SELECT 2']);
  t.same(splitStatements('-- nothing;\n\n'), []);
});

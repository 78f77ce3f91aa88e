import t from 'tap';
import { migrate, pendingMigrations } from '../../sql/migrate.js';
import { loadMigrations, splitStatements } from '../../sql/migration-files.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyClickHouse, openEmptyPostgres, openStores } from '../support/stores.js';

t.test('a ClickHouse file of which only the first statement ran is applied again', async (t) => {
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

t.test('a ClickHouse file that ran to its end without its record is applied again', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await clickhouse.command({ query: 'TRUNCATE TABLE migrations' });
  t.not((await pendingMigrations({ sql, clickhouse })).length, 0);
  await migrate({ sql, clickhouse, log: silentLog });
  t.same(await pendingMigrations({ sql, clickhouse }), []);
});

t.test('a PostgreSQL file that fails leaves nothing behind', async (t) => {
  const { sql } = await openEmptyPostgres(t);
  const { clickhouse } = await openEmptyClickHouse(t);
  // The last table of the first file is in the way, so the file fails after its first statements.
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

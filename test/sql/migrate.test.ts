import t from 'tap';
import { migrate, pendingMigrations } from '../../sql/migrate.js';
import { loadMigrations } from '../../sql/migration-files.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyClickHouse, openEmptyPostgres } from '../support/stores.js';

t.test('both stores get every file once, in order, and nothing is pending then', async (t) => {
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

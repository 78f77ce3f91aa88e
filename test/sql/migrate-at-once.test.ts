import t from 'tap';
import { migrate, pendingMigrations } from '../../sql/migrate.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyClickHouse, openEmptyPostgres } from '../support/stores.js';

t.test('three instances that start at the same moment apply each file once', async (t) => {
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

import t from 'tap';
import { migrate } from '../../sql/migrate.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

t.test('a PostgreSQL file that is not the one that was applied is refused', async (t) => {
  const { sql, clickhouse } = await openStores(t);
  await sql`update migrations set checksum = 'other' where number = 1`;
  await t.rejects(migrate({ sql, clickhouse, log: silentLog }), {
    name: 'MigrationError',
    message:
      'sql/postgres/0001_control.sql is not the file that was applied to the PostgreSQL database. Restore the file and put the change into a new one.',
  });
});

t.test('a ClickHouse file that is not the one that was applied is refused', async (t) => {
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

import t from 'tap';
import { migrate, pendingMigrations } from '../../sql/migrate.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

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

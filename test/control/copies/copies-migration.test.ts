import t from 'tap';
import { migratePostgres } from '../../../sql/migrate.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { silentLog } from '../../support/silent-log.js';
import { openEmptyPostgres } from '../../support/stores.js';

t.test('the triggers give way to a transaction that changes their tables in another order', async (t) => {
  const { sql, databaseUrl } = await openEmptyPostgres(t);
  await migratePostgres({ sql, log: silentLog, upTo: 85 });
  const other = openPostgres(databaseUrl, { max: 2 });
  t.teardown(() => other.end({ timeout: 5 }));
  await besideTransaction(
    sql,
    {
      first: (tx) => tx`lock table sources in row exclusive mode`,
      next: (tx) => tx`lock table monitors in row exclusive mode`,
    },
    () => migratePostgres({ sql: other, log: silentLog, upTo: 86 }),
  );
  const [found] = await sql`
    select count(*)::integer as triggers, count(distinct tgrelid)::integer as tables
    from pg_trigger where tgname like '%note_copy%'`;
  t.strictSame({ ...found }, { triggers: 13, tables: 7 });
  const [state] = await sql`select noted_to, version from copies_state`;
  t.strictSame({ ...state }, { noted_to: [], version: 0n });
});

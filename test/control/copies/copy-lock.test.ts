import t from 'tap';
import { awaitCopies } from '../../../control/copies/index.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);

t.test('the wait for a copy outlasts the limit of the server for statements', async (t) => {
  const waiting = openPostgres(databaseUrl, { max: 1 });
  t.teardown(() => waiting.end({ timeout: 5 }));
  await waiting`select set_config('statement_timeout', '500ms', false)`;
  const { waited } = await inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('copies of rows', 0))`;
    let failed: unknown;
    const waited = awaitCopies(waiting).catch((error: unknown) => {
      failed = error;
    });
    await waitUntil('it has waited for longer', async () => {
      const long = await sql`
        select from pg_stat_activity join pg_locks using (pid)
        where not granted and datname = current_database() and clock_timestamp() - query_start > interval '800 ms'`;
      return long.length > 0 || failed !== undefined;
    });
    t.equal(failed, undefined);
    return { waited };
  });
  await waited;
});

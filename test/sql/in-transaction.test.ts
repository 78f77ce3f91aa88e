import t from 'tap';
import { inTransaction } from '../../sql/in-transaction.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { openTestPostgres } from '../support/stores.js';
import { openTcpGate } from '../support/tcp-gate.js';

const { sql: direct, databaseUrl } = await openTestPostgres(t);
await direct`CREATE TABLE notes (note text)`;
const notes = async () => (await direct`SELECT note FROM notes ORDER BY note`).map((row) => row['note']);

t.test('work that resolves is committed, work that rejects is rolled back', async (t) => {
  const value = await inTransaction(direct, async (tx) => {
    await tx`INSERT INTO notes VALUES ('kept')`;
    return 7;
  });
  t.equal(value, 7);
  const failed = inTransaction(direct, async (tx) => {
    await tx`INSERT INTO notes VALUES ('rolled back')`;
    throw new Error('changed its mind');
  });
  await t.rejects(failed, { message: 'changed its mind' });
  await t.rejects(
    inTransaction(direct, (tx) => tx`SELECT 1 / 0`),
    { code: '22012' },
  );
  t.strictSame(await notes(), ['kept']);
});

// With sql.begin, the driver throws in a timer here, where nothing can catch the error.
for (const when of ['in a query', 'between two queries', 'before the commit'] as const) {
  t.test(`a connection that is lost ${when} is an error of the transaction alone`, async (t) => {
    const gate = await openTcpGate(t, databaseUrl);
    const sql = openPostgres(gate.url, { max: 2 });
    t.teardown(() => sql.end({ timeout: 1 }));
    const lost = inTransaction(sql, async (tx) => {
      await tx`INSERT INTO notes VALUES (${when})`;
      if (when === 'in a query') {
        setImmediate(() => gate.close());
        await tx`SELECT count(*) FROM generate_series(1, 3000000)`;
      } else {
        await gate.close();
        if (when === 'between two queries') await tx`SELECT 1`;
      }
    });
    await t.rejects(lost);
    await gate.open();
    t.match(await sql`SELECT 1 AS one`, [{ one: 1 }], 'the pool still works');
    t.notOk((await notes()).includes(when));
  });
}

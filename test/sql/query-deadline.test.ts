import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { inTransaction } from '../../sql/in-transaction.js';
import { backgroundLimits, openPostgres, type Sql, withLimits } from '../../sql/open-postgres.js';
import { QueryTimeout } from '../../sql/query-timeout.js';
import { isPostgresLost } from '../../sql/store-errors.js';
import { openTestPostgres } from '../support/stores.js';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const { sql: direct, databaseUrl } = await openTestPostgres(t);
await direct`CREATE TABLE notes (note text)`;
const notes = async () => (await direct`SELECT note FROM notes ORDER BY note`).map((row) => row['note']);
t.afterEach(() => direct`DELETE FROM notes`);

const limits = { queryTimeoutMs: 700, transactionTimeoutMs: 700 };
/** A handle for what prepares a test, or has nothing to do with limits: a busy machine may take longer than 0.7 s. */
const patiently = (sql: Sql) => withLimits(sql, backgroundLimits);
/** The limit, and what a busy machine adds. */
const secondsMax = 5;
const max = 2;

/** A pool behind a gate, with as many open connections as it may have. */
async function openGated(t: Test): Promise<{ sql: Sql; gate: TcpGate }> {
  const gate = await openTcpGate(t, databaseUrl);
  const sql = openPostgres(gate.url, { max, limits });
  t.teardown(() => sql.end({ timeout: 1 }));
  await Promise.all(Array.from({ length: max }, () => patiently(sql)`SELECT 1`));
  return { sql, gate };
}

/** Expects a QueryTimeout within the limit. */
async function timesOut(t: Test, work: PromiseLike<unknown>, what: string): Promise<void> {
  const startedAt = performance.now();
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  t.ok(isPostgresLost(error), what, { found: error });
  t.ok(seconds < secondsMax, `${what}, in time`, { found: seconds });
}

/** The gate forwards again what comes over new connections; those that hung stay half open. */
async function comeBack({ gate, sql }: { gate: TcpGate; sql: Sql }): Promise<void> {
  await gate.close();
  await gate.open();
  await waitUntil('the pool works again', () =>
    sql`SELECT 1`.then(
      () => true,
      () => false,
    ),
  );
}

t.test('a query on a connection that hangs, and those that wait for one, time out', async (t) => {
  const { sql, gate } = await openGated(t);
  gate.stall();
  const asked = Array.from({ length: 20 }, (_, at) => sql`INSERT INTO notes VALUES (${`note ${at}`})`);
  await Promise.all(asked.map((query, at) => timesOut(t, query, `query ${at}`)));
  await t.rejects(sql`SELECT 1`, QueryTimeout, 'so does a query after them');
  await comeBack({ gate, sql });
  await Promise.all(Array.from({ length: 3 * max }, () => sql`SELECT 1`));
  t.strictSame(await notes(), [], 'nothing that timed out is run later');
});

t.test('a half-open connection is replaced while the server answers others', async (t) => {
  const { sql, gate } = await openGated(t);
  gate.stall(/SELECT 'held/);
  await timesOut(t, sql`SELECT 'held'`, 'the query');
  await waitUntil('its connection is cut', () => gate.held() === 0);
  await Promise.all(Array.from({ length: 3 * max }, () => sql`SELECT 1`));
});

t.test('idle connections are left alone', async (t) => {
  const { sql } = await openGated(t);
  const pids = async () => (await sql`SELECT pg_backend_pid() AS pid`)[0]?.['pid'];
  const before = await pids();
  await delay(2 * limits.queryTimeoutMs);
  t.equal(await pids(), before);
});

t.test('a server that hangs at the login is noticed', async (t) => {
  const gate = await openTcpGate(t, databaseUrl);
  gate.stall();
  const sql = openPostgres(gate.url, { max, limits });
  t.teardown(() => sql.end({ timeout: 1 }));
  const asked = Array.from({ length: 6 }, () => sql`INSERT INTO notes VALUES ('late')`);
  await Promise.all(asked.map((query) => timesOut(t, query, 'a query that waits for the login')));
  await timesOut(
    t,
    inTransaction(sql, (tx) => tx`INSERT INTO notes VALUES ('late')`),
    'a transaction',
  );
  await comeBack({ gate, sql });
  await Promise.all(Array.from({ length: 3 * max }, () => sql`SELECT 1`));
  t.strictSame(await notes(), []);
});

for (const when of ['at BEGIN', 'in a query', 'between two queries', 'at COMMIT', 'at ROLLBACK'] as const) {
  t.test(`a transaction whose connection hangs ${when} times out, and the pool works again`, async (t) => {
    const { sql, gate } = await openGated(t);
    const hanging = Array.from({ length: max }, () => sql);
    if (when === 'at BEGIN') gate.stall();
    const work = hanging.map((one) =>
      inTransaction(one, async (tx) => {
        await tx`INSERT INTO notes VALUES (${when})`;
        gate.stall();
        if (when === 'in a query') await tx`SELECT 1`;
        if (when === 'between two queries') {
          await delay(2 * limits.transactionTimeoutMs);
          await tx`SELECT 1`;
        }
        if (when === 'at ROLLBACK') throw new Error('changed its mind');
      }),
    );
    await Promise.all(work.map((one) => timesOut(t, one, 'the transaction')));
    await comeBack({ gate, sql });
    await Promise.all(Array.from({ length: 3 * max }, () => inTransaction(sql, (tx) => tx`SELECT 1`)));
    t.strictSame(await notes(), [], 'it is rolled back');
  });
}

t.test('a transaction times out when no connection is free', async (t) => {
  const { sql, gate } = await openGated(t);
  const patient = withLimits(sql, { queryTimeoutMs: 60_000 });
  gate.stall(/SELECT 'held/);
  const held = Array.from({ length: max }, () => patient`SELECT 'held'`.catch(() => {}));
  await waitUntil('both are on their way', () => gate.held() === max);
  await timesOut(
    t,
    inTransaction(sql, (tx) => tx`SELECT 1`),
    'the transaction',
  );
  await gate.close();
  await Promise.all(held);
});

t.test('limits of a handle hold for the same connections', async (t) => {
  const { sql, gate } = await openGated(t);
  gate.stall();
  const patient = withLimits(sql, { queryTimeoutMs: 3 * limits.queryTimeoutMs });
  const order: string[] = [];
  await Promise.all([
    timesOut(t, patient`SELECT 1`, 'the patient one').then(() => order.push('patient')),
    timesOut(t, sql`SELECT 1`, 'the usual one').then(() => order.push('usual')),
  ]);
  t.strictSame(order, ['usual', 'patient']);
});

t.test('a statement that is slow on a server that answers is stopped there', async (t) => {
  const { sql } = await openGated(t);
  await timesOut(t, sql`SELECT pg_sleep(30)`, 'the statement');
  const isRunning = async () =>
    (
      await direct`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()`
    ).count > 0;
  await waitUntil('it is stopped', async () => !(await isRunning()));
});

t.test('parts of statements, lists and JSON work as before', async (t) => {
  const sql = patiently((await openGated(t)).sql);
  const part = sql`note LIKE ${'a%'}`;
  await sql`INSERT INTO notes ${sql([{ note: 'a1' }, { note: 'b1' }])}`;
  t.match(await sql`SELECT note FROM notes WHERE ${part} AND note IN ${sql(['a1', 'b1'])}`, [{ note: 'a1' }]);
  t.match(await sql`SELECT ${sql.json({ a: 1 })}::jsonb AS value`, [{ value: { a: 1 } }]);
  t.match(await sql.unsafe('SELECT $1::text AS value', ['x']), [{ value: 'x' }]);
  t.match(await inTransaction(sql, (tx) => tx`SELECT note FROM notes WHERE ${part}`), [{ note: 'a1' }]);
  t.throws(() => sql.reserve(), /not available/);
});

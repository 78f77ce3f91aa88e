import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { deferred } from '../../lib/deferred.js';
import { inTransaction } from '../../sql/in-transaction.js';
import {
  backgroundLimits,
  openPostgres,
  type Sql,
  type Transaction,
  withLimits,
} from '../../sql/open-postgres.js';
import { isPostgresLost } from '../../sql/store-errors.js';
import { openTestPostgres } from '../support/stores.js';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const { sql: direct, databaseUrl } = await openTestPostgres(t);
await direct`CREATE TABLE notes (note text)`;
const notes = async () => (await direct`SELECT note FROM notes ORDER BY note`).map((row) => row['note']);
t.afterEach(() => direct`DELETE FROM notes`);

const limits = { queryTimeoutMs: 2_000, transactionTimeoutMs: 2_000 };

/** One connection behind a gate, which holds it once it has sent a statement with "held". */
async function openOne(t: Test): Promise<{ sql: Sql; gate: TcpGate; untilHeld(): Promise<void> }> {
  const gate = await openTcpGate(t, databaseUrl);
  const sql = openPostgres(gate.url, { max: 1, limits });
  t.teardown(() => sql.end({ timeout: 1 }));
  await withLimits(sql, backgroundLimits)`SELECT 1`;
  gate.stall(/held/);
  return { sql, gate, untilHeld: () => waitUntil('a statement is held', () => gate.held() > 0) };
}

/** The connection answers each of several queries, not only after some that time out. */
async function works(t: Test, sql: Sql): Promise<void> {
  for (let i = 0; i < 3; i += 1) t.strictSame([...(await sql`SELECT 1 AS one`)], [{ one: 1 }]);
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

for (const [what, ask] of [
  ['query', (sql: Sql) => sql`SELECT 1 AS one`],
  ['transaction', (sql: Sql) => inTransaction(sql, (tx) => tx`SELECT 1 AS one`)],
] as const) {
  t.test(`a ${what} that begins as its idle connection ends is answered`, async (t) => {
    const connects = t.capture(Socket.prototype, 'connect', Socket.prototype.connect);
    const { sql, gate } = await openOne(t);
    const sockets = connects().flatMap(({ receiver }) => (receiver instanceof Socket ? [receiver] : []));
    const own = sockets.filter(({ remotePort }) => String(remotePort) === new URL(gate.url).port);
    t.equal(own.length, 1);
    own[0]?.destroy();
    t.strictSame([...(await ask(sql))], [{ one: 1 }]);
    await works(t, sql);
  });
}

for (const how of ['reset', 'end'] as const) {
  t.test(`a connection that closes (${how}) during a statement of a transaction is replaced`, async (t) => {
    const { sql, gate, untilHeld } = await openOne(t);
    const failed = errorOf(inTransaction(sql, (tx) => tx`SELECT 'held'`));
    await untilHeld();
    gate.cut(how);
    t.ok(isPostgresLost(await failed));
    await works(t, sql);
  });

  t.test(`work that goes on after its connection closed (${how}) sends nothing more`, async (t) => {
    const { sql, gate, untilHeld } = await openOne(t);
    const failed = errorOf(
      inTransaction(sql, async (tx) => {
        await errorOf(Promise.resolve(tx`SELECT 'held'`));
        await tx`INSERT INTO notes VALUES ('after the end')`;
      }),
    );
    await untilHeld();
    gate.cut(how);
    t.ok(isPostgresLost(await failed));
    await works(t, sql);
    t.strictSame(await notes(), []);
  });
}

t.test('work that ends late ends no transaction of the next caller', async (t) => {
  const { sql, gate } = await openOne(t);
  const late = deferred<void>();
  const failed = errorOf(
    inTransaction(sql, async (tx) => {
      await tx`SELECT 1`;
      gate.cut('reset');
      await late.promise;
      throw new Error('Late.');
    }),
  );
  t.ok(isPostgresLost(await failed));
  await inTransaction(sql, async (tx) => {
    await tx`INSERT INTO notes VALUES ('one')`;
    late.resolve();
    // The work ends, and whatever it sends arrives first.
    for (let turn = 0; turn < 10; turn += 1) await delay(1);
    await tx`INSERT INTO notes VALUES ('two')`;
  });
  t.strictSame(await notes(), ['one', 'two']);
});

t.test(
  'statements that were queued in a lost transaction cut no connection of the next caller',
  async (t) => {
    const { sql, gate, untilHeld } = await openOne(t);
    const work = inTransaction(sql, (tx) => Promise.all([tx`SELECT 'held'`, tx`SELECT 2`]));
    const failed = errorOf(work);
    await untilHeld();
    gate.cut('reset');
    t.ok(isPostgresLost(await failed));
    const next = async (tx: Transaction) => {
      await tx`INSERT INTO notes VALUES ('one')`;
      // Until the time of the statements is over.
      await delay(limits.queryTimeoutMs + 500);
      await tx`INSERT INTO notes VALUES ('two')`;
    };
    await inTransaction(sql, next, backgroundLimits);
    t.strictSame(await notes(), ['one', 'two']);
  },
);

t.test('an address without a route fails the query, and nothing else', async (t) => {
  const sql = openPostgres('postgres://nobody@255.255.255.255:5432/none', { max: 1, limits });
  t.teardown(() => sql.end({ timeout: 1 }));
  const error = await errorOf(Promise.resolve(sql`SELECT 1`));
  t.type(error, Error);
});

t.test('with several hosts, a connection that hangs during its first query is replaced', async (t) => {
  const gate = await openTcpGate(t, databaseUrl);
  const { host } = new URL(gate.url);
  const sql = openPostgres(gate.url.replace(host, `${host},${host}`), { max: 1, limits });
  t.teardown(() => sql.end({ timeout: 1 }));
  gate.stall(/held/);
  t.ok(isPostgresLost(await errorOf(Promise.resolve(sql`SELECT 'held'`))));
  await works(t, sql);
});

t.test('hosts that all refuse are tried again after a pause', async (t) => {
  const sql = openPostgres('postgres://none@127.0.0.1:1,127.0.0.1:2/none', { max: 1, limits });
  t.teardown(() => sql.end({ timeout: 0 }));
  const connects = t.capture(Socket.prototype, 'connect', Socket.prototype.connect);
  t.ok(isPostgresLost(await errorOf(Promise.resolve(sql`SELECT 1`))));
  const tried = connects().length;
  t.ok(tried >= 2 && tried <= 30, `${tried} connections`);
});

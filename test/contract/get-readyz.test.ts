import t from 'tap';
import { makeStoppedClock } from '../support/moving-clock.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';

const clock = makeStoppedClock();
const api = await startTestService(t, { clock });
/** Stores are checked once a second. */
const oldMs = 1_000;

t.test('200: both stores answer and are migrated', async (t) => {
  const answer = await api.get('/readyz');
  t.equal(answer.status, 200);
  t.strictSame(answer.body, { status: 'ok', checks: { postgres: 'ok', clickhouse: 'ok', migrations: 'ok' } });
  t.equal(answer.headers.get('cache-control'), 'no-store');
});

t.test('the stores are checked once a second, on an instance with any role', async (t) => {
  const { sql } = api.stores;
  const jobsOnly = await startAnother(t, api, { clock, roles: new Set(['deliver']) });
  for (const instance of [api, jobsOnly]) {
    const ask = async () => (await instance.get('/readyz')).status;
    clock.advance(oldMs);
    t.equal(await ask(), 200);
    const [last] = await sql`delete from migrations where number = 1 returning *`;
    t.strictSame(await Promise.all(Array.from({ length: 50 }, ask)), Array(50).fill(200));
    clock.advance(oldMs);
    t.strictSame(await Promise.all(Array.from({ length: 50 }, ask)), Array(50).fill(503));
    await sql`insert into migrations ${sql(last ?? {})}`;
    t.equal(await ask(), 503);
    clock.advance(oldMs);
    t.equal(await ask(), 200);
  }
});

t.test('503: ClickHouse is unavailable', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const instance = await startAnother(t, api, { clickhouseUrl: gate.url, clock });
  t.equal((await instance.get('/readyz')).status, 200);
  await gate.close();
  clock.advance(oldMs);
  const answer = await instance.get('/readyz');
  t.equal(answer.status, 503);
  t.match(answer.body, {
    status: 'unavailable',
    checks: { postgres: 'ok', clickhouse: 'ClickHouse does not answer.' },
  });
  t.notMatch(JSON.stringify(answer.body), /127\.0\.0\.1|ECONN/);
  await gate.open();
  clock.advance(oldMs);
  t.equal((await instance.get('/readyz')).status, 200);
});

t.test('503: PostgreSQL hangs, and the answer does not', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const instance = await startAnother(t, api, { databaseUrl: gate.url });
  gate.stall();
  const begin = performance.now();
  const answer = await instance.get('/readyz');
  t.equal(answer.status, 503);
  t.match(answer.body, {
    status: 'unavailable',
    checks: { postgres: 'PostgreSQL does not answer.', clickhouse: 'ok' },
  });
  t.ok(performance.now() - begin < 5_000);
  await gate.close();
  await gate.open();
});

t.test('503: a migration is not applied', async (t) => {
  const { sql } = api.stores;
  const [last] =
    await sql`DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations) RETURNING *`;
  clock.advance(oldMs);
  const answer = await api.get('/readyz');
  t.equal(answer.status, 503);
  t.match(answer.body, { checks: { migrations: `Not applied: postgres/${last?.['name']}.` } });
});

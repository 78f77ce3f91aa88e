import t from 'tap';
import { outage } from '../support/incidents.js';
import { makeStoppedClock } from '../support/moving-clock.js';
import { makeKey, setPage } from '../support/pages.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

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

t.test('503: until the start has printed its keys', async (t) => {
  let isAnnounced = false;
  const starting = await startAnother(t, api, { clock, hasStarted: () => isAnnounced });
  const { status, body } = await starting.get('/readyz');
  t.match([status, body], [503, { status: 'unavailable', checks: { start: 'The service starts.' } }]);
  isAnnounced = true;
  t.equal((await starting.get('/readyz')).status, 200);
});

t.test('503: ClickHouse is unavailable', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const instance = await startAnother(t, api, { clickhouseUrl: gate.url, clock });
  t.equal((await instance.get('/readyz')).status, 200);
  await gate.close();
  clock.advance(oldMs);
  const answer = await instance.get('/readyz');
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '2');
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

t.test('200: what tenants ask for holds the connections that all requests with a key share', async (t) => {
  const deps = { sql: api.stores.sql, clock };
  for (const slug of ['acme', 'other']) await setPage(deps, { slug, databaseHealthEnabled: true });
  const { key: otherReadKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
  const postgres = await openTcpGate(t, api.stores.databaseUrl);
  const clickhouse = await openTcpGate(t, api.stores.clickhouseUrl);
  const instance = await startAnother(t, api, { databaseUrl: postgres.url, clickhouseUrl: clickhouse.url });
  postgres.stall(/insert into key_requests/);
  clickhouse.stall(/pools?_/);
  const reads = [api.readKey, api.readKey, otherReadKey, otherReadKey].map((key) =>
    instance.get('/api/v1/analytics/database-health', { authorization: `Bearer ${key}` }),
  );
  await waitUntil('10 reads of ClickHouse hang', () => clickhouse.held() === 10);
  const writes = Array.from({ length: 10 }, () =>
    instance.post('/api/v1/incidents', outage, { key: api.incidentKey }),
  );
  await waitUntil('8 queries of PostgreSQL hang', () => postgres.held() === 8);
  const batch = { events: [{ endpoint: '/a', status: 200 }], batchId: 'beside' };
  t.equal((await instance.post('/api/v1/events', batch)).status, 202, 'events have connections of their own');
  t.match(await instance.get('/readyz'), {
    status: 200,
    body: { checks: { postgres: 'ok', clickhouse: 'ok', migrations: 'ok' } },
  });
  for (const gate of [postgres, clickhouse]) {
    await gate.close();
    await gate.open();
  }
  await Promise.all([...reads, ...writes]);
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

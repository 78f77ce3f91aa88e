import t from 'tap';
import { createMonitor } from '../../control/monitors/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { testActor } from '../support/actor.js';
import { testSecretKey as secretKey } from '../support/embedded-stores.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';

const clock = makeMovingClock();
// A check of the heartbeat that falls due during the test would be a write as well.
const api = await startTestService(t, { clock, roles: new Set(['api'] as const) });
const { sql } = api.stores;
const settings = {
  pageId: await loadPageId(sql, 'acme'),
  slug: 'job',
  name: 'Job',
  kind: 'heartbeat',
  periodSeconds: 600,
} as const;
const { id, token = '' } = await createMonitor({ sql, clock, secretKey, by: testActor }, settings);

async function lastPing(): Promise<number | undefined> {
  const [row] = await sql<
    { last_ping_at: Date | null }[]
  >`select last_ping_at from monitors where id = ${id}`;
  return row?.last_ping_at?.getTime();
}

t.test('200: the ping is stored', async (t) => {
  t.match(token, /^ping_[0-9A-Za-z]{43}$/);
  t.equal(await lastPing(), undefined);
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', undefined],
    ['POST', '{"not": json'],
    ['POST', 'x'.repeat(1_000_000)],
  ] as const) {
    const before = clock.now();
    const answer = await api.post(`/ping/${token}`, body, { method, key: null });
    t.equal(answer.status, 200);
    t.strictSame(answer.body, { ok: true });
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.ok(((await lastPing()) ?? 0) >= before, method);
    clock.advance(10_000);
  }
  const before = clock.now();
  const head = await fetch(`${api.url}/ping/${token}`, { method: 'HEAD' });
  t.equal(head.status, 200);
  t.ok(((await lastPing()) ?? 0) >= before, 'HEAD as well');
});

t.test('200: consecutive pings are one write', async (t) => {
  clock.advance(10_000);
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.get(`/ping/${token}`)));
  t.ok(answers.every(({ status }) => status === 200));
  const [row] = await sql<{ writes: string }[]>`select xmin::text as writes from monitors where id = ${id}`;
  const at = (await lastPing()) ?? 0;
  // However long that took, the next ping comes within a second of the stored one.
  clock.advance(at + 100 - clock.now());
  t.equal((await api.get(`/ping/${token}`)).status, 200);
  t.equal(await lastPing(), at);
  t.same((await sql`select xmin::text as writes from monitors where id = ${id}`)[0], row);
});

t.test('404: a missing heartbeat', async (t) => {
  const unknown = `ping_${'a'.repeat(43)}`;
  for (const wrong of [unknown, 'ping_short', id, `${token}x`, token.toUpperCase(), '%00']) {
    for (const method of ['GET', 'POST']) {
      const answer = await api.post(`/ping/${wrong}`, undefined, { method, key: null });
      t.equal(answer.status, 404, wrong);
      t.strictSame(answer.body, { error: 'Not found' });
    }
  }
  t.equal((await api.get('/ping/')).status, 404);
});

t.test('405: another method', async (t) => {
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const answer = await api.post(`/ping/${token}`, undefined, { method, key: null });
    t.equal(answer.status, 405);
    t.same((answer.headers.get('allow') ?? '').split(', ').sort(), ['GET', 'HEAD', 'POST']);
  }
});

t.test('503: PostgreSQL is unavailable', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const instance = await startAnother(t, api, { databaseUrl: gate.url });
  await gate.close();
  const answer = await instance.get(`/ping/${token}`);
  t.equal(answer.status, 503);
  t.ok(answer.headers.get('retry-after'));
  await gate.open();
});

import t from 'tap';
import { createMonitor } from '../../control/monitors/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { testActor } from '../support/actor.js';
import { testSecretKey as secretKey } from '../support/embedded-stores.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { startTestService } from '../support/service.js';

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

const readRow = async () => (await sql`select * from monitors where id = ${id}`)[0] ?? {};

t.test('200: a call says how the job ended, in its path or in its query', async (t) => {
  const reported = 'The job reported a failure.';
  const code = (exitCode: number) => `The job reported a failure: exit code ${exitCode}.`;
  const cases: [path: string, failure: string | null][] = [
    ...([
      ['/fail', reported],
      ['', null],
      ['/1', code(1)],
      ['/0', null],
      ['/255', code(255)],
    ] as const),
    ...([
      ['?status=ok', null],
      ['?status=fail', reported],
      ['?status=up&msg=OK&ping=', null],
    ] as const),
    ...([
      ['?status=down&msg=No+space', reported],
      ['/fail?status=down', reported],
      ['/0?status=up', null],
    ] as const),
    ...([
      ['/fail?rid=7', reported],
      ['?msg=fail', null],
      ['/3?status=fail', code(3)],
      ['/0', null],
    ] as const),
  ].map(([path, failure]): [string, string | null] => [path, failure]);
  const seen: [string, unknown][] = [];
  for (const [i, [path]] of cases.entries()) {
    // No pause between them: a call that says something else than the one before is never left out.
    const method = i % 2 === 0 ? 'GET' : 'POST';
    const answer = await api.post(`/ping/${token}${path}`, undefined, { method, key: null });
    t.strictSame([answer.status, answer.body], [200, { ok: true }], path);
    seen.push([path, (await readRow())['ping_failure']]);
  }
  t.strictSame(seen, cases);
});

t.test(
  '200: a call that turns success into failure makes the next check due, after one that runs',
  async (t) => {
    const tick = async (path: string) => {
      clock.advance(2_000);
      const from = clock.now();
      t.equal((await api.get(`/ping/${token}${path}`)).status, 200);
      return from;
    };
    const later = new Date(clock.now() + 600_000);
    await sql`update monitors set next_due_at = ${later}, claimed_until = null where id = ${id}`;
    await tick('');
    t.match(await readRow(), { next_due_at: later }, 'nothing changed');
    for (const path of ['/fail', '']) {
      await sql`update monitors set next_due_at = ${later}, claimed_until = null where id = ${id}`;
      const from = await tick(path);
      const { next_due_at: dueAt } = await readRow();
      t.ok(dueAt >= from && dueAt <= clock.now(), `due at once after ${path || 'a success'}`);
    }
    const dueAt = new Date(clock.now() + 3_000);
    await sql`update monitors set next_due_at = ${dueAt}, claimed_until = ${later} where id = ${id}`;
    await tick('/fail');
    t.match(await readRow(), { next_due_at: new Date(dueAt.getTime() + 1_000), claimed_until: null });
    await sql`update monitors set next_due_at = null where id = ${id}`;
    await tick('');
    t.match(await readRow(), { next_due_at: null, ping_failure: null }, 'a paused heartbeat stays paused');
  },
);

t.test('200: of calls that arrive together, the last one counts', async (t) => {
  const send = (path: string) => api.get(`/ping/${token}${path}`);
  const ends: unknown[] = [];
  for (const last of ['/fail', '/0', '/7', '']) {
    await Promise.all(['', '/fail', '/0', '/fail'].map(send));
    await send(last);
    ends.push((await readRow())['ping_failure'] === null);
  }
  t.strictSame(ends, [false, true, false, true]);
});

t.test('400: a report that is not understood says what is, and changes nothing', async (t) => {
  clock.advance(10_000);
  const before = await readRow();
  const inPath =
    'What follows the token must be /fail, or the exit code of the job from /0 (success) to /255; nothing is a success.';
  const inQuery = 'Parameter "status" must be ok or up for a success, or fail or down for a failure, once.';
  const both = 'The path and the parameter "status" contradict each other; send one of them.';
  const cases = [
    ...['/start', '/log', '/FAIL', '/failed', '/256', '/-1', '/1.5', '/0x1', '/%20', '/1e2', '/%00'].map(
      (path) => [path, inPath] as const,
    ),
    ...['?status=', '?status=FAIL', '?status=0', '?status=ok&status=fail', '?status', '/0?status=no'].map(
      (path) => [path, inQuery] as const,
    ),
    ...([
      ['/fail?status=up', both],
      ['/0?status=down', both],
      ['/1?status=ok', both],
    ] as const),
  ];
  const answers: [string, string, number, unknown][] = [];
  for (const method of ['GET', 'POST']) {
    for (const [path] of cases) {
      const { status, body } = await api.post(`/ping/${token}${path}`, undefined, { method, key: null });
      answers.push([method, path, status, body]);
    }
  }
  t.strictSame(
    answers,
    ['GET', 'POST'].flatMap((method) =>
      cases.map(([path, error]) => [method, path, 400, { error, code: 'parameter.invalid' }]),
    ),
  );
  t.strictSame(await readRow(), before);
});

t.test('404: a missing heartbeat', async (t) => {
  const unknown = `ping_${'a'.repeat(43)}`;
  for (const wrong of [unknown, 'ping_short', id, `${token}x`, token.toUpperCase(), '%00']) {
    for (const [method, report] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/fail'],
      ['POST', '/1?status=fail'],
    ] as const) {
      const answer = await api.post(`/ping/${wrong}${report}`, undefined, { method, key: null });
      t.equal(answer.status, 404, wrong);
      t.strictSame(answer.body, { error: 'Not found', code: 'not_found' });
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

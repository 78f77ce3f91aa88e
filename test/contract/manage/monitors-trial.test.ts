import t from 'tap';
import { loadPageId } from '../../../control/pages/index.js';
import { systemClock } from '../../../lib/clock.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeKey } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startProbeTarget } from '../../support/probe-target.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const roles = new Set([...withoutJobs].filter((role) => role === 'api'));
const service = await startTestService(t, { roles, allowPrivateAddresses: true });
const { sql } = service.stores;
const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
const target = await startProbeTarget(t);
const other = await startProbeTarget(t);
const monitors = '/api/v1/pages/acme/monitors';
const send = (body: unknown, on = service, path = `${monitors}/trial`) =>
  on.post(path, body, { method: 'POST', key });

t.test('200: the outcome of settings that nobody has saved, and nothing is stored', async (t) => {
  const counts = () =>
    sql`select (select count(*) from monitors)::int as monitors, (select count(*) from audit_log)::int as entries`;
  const [before] = await counts();
  const headers = [{ name: 'authorization', value: 'Bearer trial' }];
  const trial = { type: 'http', url: `${target.url}/ok`, method: 'POST', headers, body: 'ping' };
  const passed = await send({ ...trial, expectBody: 'all is well' });
  t.match(passed, { status: 200, body: { ok: true, error: null, unobserved: null, status: 200 } });
  t.equal(passed.headers.get('cache-control'), 'no-store');
  t.match(target.received.at(-1), {
    method: 'POST',
    headers: { authorization: 'Bearer trial' },
    body: 'ping',
  });
  t.match((await send({ type: 'http', url: `${target.url}/503` })).body, {
    ...{ ok: false, error: 'status', status: 503, detail: String },
  });
  t.match((await send({ type: 'tcp', url: `tcp://127.0.0.1:${target.port}` })).body, {
    ...{ ok: true, status: null, totalMs: Number },
  });
  const [after] = await counts();
  t.strictSame(after, before);
});

t.test('200: what is given and what is kept of the headers of a monitor', async (t) => {
  const saved = {
    ...{ slug: 'kept', name: 'Kept', type: 'http', url: `${target.url}/ok` },
    ...{ headers: [{ name: 'x-token', value: 'secret' }], body: 'saved' },
  };
  t.equal((await send(saved, service, monitors)).status, 201);
  const trial = { type: 'http', url: `${target.url}/503`, slug: 'kept', method: 'POST' };
  t.equal((await send(trial)).status, 200);
  t.match(target.received.at(-1), { path: '/503', headers: { 'x-token': 'secret' }, body: 'saved' });
  await send({ ...trial, headers: null });
  t.match(target.received.at(-1), { headers: { 'x-token': undefined }, body: 'saved' });
  const refused = await send({ ...trial, url: `${other.url}/ok` });
  t.match(refused, { status: 400, body: { error: /not sent to another server unasked/ } });
  t.equal(other.received.length, 0);
  t.equal((await send({ ...trial, url: `${other.url}/ok`, headers: null, body: null })).status, 200);
  t.match(other.received.at(-1), { headers: { 'x-token': undefined }, body: '' });
  await sql`update monitors set secrets = 'x'::bytea where slug = 'kept'`;
  t.match(await send(trial), { status: 409, body: { error: /another HEARTLINE_SECRET_KEY/ } });
});

t.test('200: an address that is not public is not reached', async (t) => {
  const strict = await startAnother(t, service, { roles });
  const before = target.received.length;
  for (const [type, url, unobserved] of [
    ['http', `${target.url}/ok`, 'blocked'],
    ['tcp', `tcp://127.0.0.1:${target.port}`, 'blocked'],
    ['http', 'http://169.254.169.254/latest/meta-data', 'metadata'],
  ]) {
    t.match(await send({ type, url }, strict), { status: 200, body: { ok: null, unobserved } });
  }
  t.equal(target.received.length, before);
});

t.test('400: settings that could not be saved, and a heartbeat', async (t) => {
  const url = `${target.url}/ok`;
  for (const [body, error] of [
    [{ type: 'heartbeat', periodSeconds: 60 }, /nothing can be tried/],
    [{ type: 'http' }, /needs a URL/],
    [{ type: 'http', url, periodSeconds: 60 }, /has no period/],
    [{ type: 'http', url, timeoutMs: 60_001 }, /The timeout must be/],
    [{ type: 'http', url, headers: [{ name: 'a b', value: '' }] }, /HTTP does not allow/],
    [{ type: 'http', url, name: 'Shop' }, /name/],
    [{ type: 'tcp', url }, /must be a host and a port/],
  ] as const) {
    t.match(await send(body), { status: 400, body: { error } });
  }
});

t.test('403: people who may not change monitors', async (t) => {
  const { headers } = await signInAs({ sql, clock: systemClock }, { slug: 'acme', role: 'responder' });
  const before = target.received.length;
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  const body = JSON.stringify({ type: 'http', url: `${target.url}/ok` });
  t.equal((await fetch(`${service.url}${monitors}/trial`, { ...init, body })).status, 403);
  t.equal(target.received.length, before);
});

t.test('404: a monitor of another page, and another page', async (t) => {
  const pageId = await loadPageId(sql, 'other');
  await insertMonitor(sql, { pageId, slug: 'theirs', url: `${target.url}/ok` });
  const trial = { type: 'http', url: `${target.url}/ok` };
  t.equal((await send({ ...trial, slug: 'none' })).status, 404);
  t.equal((await send({ ...trial, slug: 'theirs' })).status, 404);
  t.equal((await send(trial, service, '/api/v1/pages/other/monitors/trial')).status, 404);
});

t.test('429: a page makes only so many checks at once', async (t) => {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'http', url: `${target.url}/slow` });
  const init = { method: 'POST', headers, body, signal: leave.signal };
  const running = Array.from({ length: 4 }, () =>
    fetch(`${service.url}${monitors}/trial`, init).catch(() => undefined),
  );
  const slow = () => target.received.filter(({ path }) => path === '/slow').length;
  await waitUntil('four trials run', async () => slow() === 4, 10_000);
  const trial = { type: 'http', url: `${target.url}/ok` };
  t.match(await send(trial), { status: 429, body: { error: /4 checks of this page run now/ } });
  leave.abort();
  await Promise.all(running);
  await waitUntil('there is room again', async () => (await send(trial)).status === 200, 10_000);
});

t.test('a monitor may be called trial', async (t) => {
  const body = { slug: 'trial', name: 'Trial', type: 'http', url: `${target.url}/ok` };
  t.equal((await send(body, service, monitors)).status, 201);
  t.match(await service.post(`${monitors}/trial`, undefined, { method: 'GET', key }), {
    ...{ status: 200, body: { slug: 'trial' } },
  });
  t.equal((await service.post(`${monitors}/trial/check`, undefined, { method: 'POST', key })).status, 200);
});

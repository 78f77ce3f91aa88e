import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { makeKey } from '../../support/pages.js';
import { startProbeTarget } from '../../support/probe-target.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';

const roles = new Set([...withoutJobs].filter((role) => role === 'api'));
const service = await startTestService(t, { roles, allowPrivateAddresses: true });
const { sql } = service.stores;
const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
const target = await startProbeTarget(t);
const monitors = '/api/v1/pages/acme/monitors';
const send = (path: string, body?: unknown, method = 'POST', on = service) =>
  on.post(path, body, { method, key });

async function makeMonitor(slug: string, path: string): Promise<string> {
  const { status } = await send(monitors, { slug, name: slug, type: 'http', url: target.url + path });
  t.equal(status, 201);
  return `${monitors}/${slug}/check`;
}

t.test('200: a check tells its outcome and its phases, and stores nothing', async (t) => {
  const passed = await send(await makeMonitor('ok', '/ok'));
  t.match(passed, {
    status: 200,
    body: { ok: true, error: null, unobserved: null, status: 200, totalMs: Number, firstByteMs: Number },
  });
  t.match(await send(await makeMonitor('bad', '/503')), {
    status: 200,
    body: { ok: false, error: 'status', status: 503, detail: String },
  });
  t.match((await send(`${monitors}/ok`, undefined, 'GET')).body, { state: null, lastCheckedAt: null });
});

t.test('200: an address that is not public is not reached', async (t) => {
  const strict = await startAnother(t, service, { roles });
  const before = target.received.length;
  t.match(await send(`${monitors}/ok/check`, undefined, 'POST', strict), {
    status: 200,
    body: { ok: null, unobserved: 'blocked', detail: String, totalMs: null },
  });
  t.equal(target.received.length, before);
});

t.test('409: a heartbeat waits for calls', async (t) => {
  await send(monitors, { slug: 'job', name: 'Job', type: 'heartbeat', periodSeconds: 60 });
  t.match(await send(`${monitors}/job/check`), { status: 409, body: { error: /is a heartbeat/ } });
});

t.test('404: an unknown monitor', async (t) => {
  t.equal((await send(`${monitors}/none/check`)).status, 404);
});

t.test('429: a page makes only so many checks at once', async (t) => {
  const path = await makeMonitor('slow', '/slow');
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const running = Array.from({ length: 4 }, () =>
    fetch(service.url + path, { method: 'POST', headers, signal: leave.signal }).catch(() => undefined),
  );
  while (target.received.filter((request) => request.path === '/slow').length < 4) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  t.match(await send(path), { status: 429, body: { error: /4 checks of this page run now/ } });
  leave.abort();
  await Promise.all(running);
  while ((await send(`${monitors}/ok/check`)).status === 429);
});

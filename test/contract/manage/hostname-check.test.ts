import { createServer, type ServerResponse } from 'node:http';
import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { listenUntilEnd } from '../../support/listen.js';
import { makeKey } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const roles = new Set([...withoutJobs].filter((role) => role === 'api'));
const service = await startTestService(t, { roles, allowPrivateAddresses: true });
const { sql } = service.stores;
const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
const path = '/api/v1/pages/acme/hostname/check';
const send = (body: unknown, on = service, to = path) => on.post(to, body, { method: 'POST', key });

t.test('200: the host of the page, another one that leads here, and that of another page', async (t) => {
  t.match(await send({}), {
    status: 200,
    body: {
      ...{ hostname: 'acme.localhost', isPointedHere: true, answers: 'this page' },
      records: { cname: [], a: ['127.0.0.1'], aaaa: ['::1'] },
    },
  });
  t.match((await send({ hostname: 'NEW.localhost.' })).body, {
    ...{ hostname: 'new.localhost', isPointedHere: true, answers: 'nothing', detail: /once it is saved/ },
  });
});

t.test('200: nothing is asked of addresses that are not public, and their records stay secret', async (t) => {
  const strict = await startAnother(t, service, { roles });
  t.match((await send({}, strict)).body, {
    ...{ isPointedHere: null, answers: 'nothing', detail: /not public/ },
    records: { cname: [], a: [], aaaa: [] },
  });
});

t.test('400: what is no host name', async (t) => {
  for (const hostname of ['https://a.example', 'a.example:8080', 'a b', '', '127.0.0.1']) {
    t.equal((await send({ hostname })).status, 400, hostname);
  }
});

t.test('403 and 404: people who may not change the page, and another page', async (t) => {
  const { headers } = await signInAs({ sql, clock: systemClock }, { slug: 'acme', role: 'responder' });
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
  t.equal((await fetch(`${service.url}${path}`, init)).status, 403);
  t.equal((await send({}, service, '/api/v1/pages/other/hostname/check')).status, 404);
});

t.test('429: a page has two checks at once', async (t) => {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => held.push(response));
  const port = await listenUntilEnd(t, server);
  const baseUrl = new URL(`http://localhost:${port}`);
  const slow = await startAnother(t, service, { roles, allowPrivateAddresses: true, baseUrl });
  const running = [send({}, slow), send({}, slow)];
  await waitUntil('two checks wait', async () => held.length === 2, 5_000);
  t.match(await send({}, slow), { status: 429, body: { error: /Another check runs now/ } });
  for (const response of held) response.end('parked');
  for (const { status, body } of await Promise.all(running)) {
    t.match({ status, body }, { status: 200, body: { answers: 'another', isPointedHere: false } });
  }
});

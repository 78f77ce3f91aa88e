import { createServer, type Socket } from 'node:net';
import t from 'tap';
import { openEventStore } from '../../../control/event-stores/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { listenUntilEnd } from '../../support/listen.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { openEmptyClickHouse } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const { write: manageKey, other: otherKey, read: readKey } = await makeManageKeys(deps);
const path = '/api/v1/pages/acme/event-store';

const own = await openEmptyClickHouse(t);
const address = new URL(own.clickhouseUrl);
const password = decodeURIComponent(address.password);
const settings = { url: address.origin, database: address.pathname.slice(1), username: address.username };

const send = (method: string, at = path, body?: unknown, key = manageKey, headers = {}) =>
  service.post(at, body, { method, key, headers });
const countRows = async () =>
  (await deps.sql`select 1 from audit_log where target_type = 'event-store'`).length;

t.test('404: a page without a store of its own', async (t) => {
  for (const [method, at] of [
    ['GET', path],
    ['DELETE', path],
    ['POST', `${path}/test`],
    ['POST', `${path}/replay`],
  ] as const)
    t.equal((await send(method, at)).status, 404, `${method} ${at}`);
  t.equal((await send('GET', path, undefined, readKey)).status, 403);
  t.equal((await send('GET', path, undefined, otherKey)).status, 404);
});

t.test('400: a store that cannot be used changes nothing', async (t) => {
  const cases: [body: object, error: RegExp][] = [
    [{ ...settings, password: 'wrong' }, /refuses the user|Authentication/],
    [{ ...settings, url: 'http://127.0.0.1:1', password }, /cannot be reached/],
    [{ ...settings, url: `${settings.url}/path`, password }, /without a path/],
    [{ ...settings, database: 'a b', password }, /not a name for a database/],
    [settings, /\/password is required/],
    [{ ...settings, password, revision: 1 }, /\/revision/],
  ];
  for (const [body, error] of cases) {
    const answer = await send('PUT', path, body);
    t.equal(answer.status, 400, JSON.stringify(answer.body));
    t.match((answer.body as { error: string }).error, error);
  }
  t.equal((await send('GET')).status, 404);
  t.equal(await countRows(), 0);
});

t.test('412: a page without a store has none that is meant', async (t) => {
  const put = await send('PUT', path, { ...settings, password }, manageKey, { 'if-match': '"a-b"' });
  t.equal(put.status, 412);
});

t.test('201, then 200 without a change; the password stays inside', async (t) => {
  const made = await send('PUT', path, { ...settings, password });
  t.equal(made.status, 201, JSON.stringify(made.body));
  t.match(made.body, {
    ...settings,
    hasPassword: true,
    backlog: { waiting: 0, exhausted: 0, lastError: null },
  });
  const again = await send('PUT', path, { ...settings, password });
  t.equal(again.status, 200);
  t.same(again.body, made.body);
  t.equal((await send('PUT', path, settings)).status, 200, 'the password stays when it is absent');
  t.equal(await countRows(), 1);
  const [row] = await deps.sql`select action, before, after from audit_log where target_type = 'event-store'`;
  t.same(row, { action: 'event-store.create', before: null, after: settings });
  if (password !== '') t.notOk(JSON.stringify(made.body).includes(password));
});

t.test('another address needs the password again', async (t) => {
  const { status, body } = await send('PUT', path, {
    ...settings,
    url: 'https://elsewhere.example.com:8443',
  });
  t.equal(status, 400);
  t.match(body, { error: /\/password is required/ });
});

t.test('the address and its password are read together', async (t) => {
  const known = await openEventStore({ ...deps, secretKey: testSecretKey }, service.pageId);
  t.match(known, { store: settings, password });
  const elsewhere = await openEventStore({ ...deps, secretKey: 'x'.repeat(64) }, service.pageId);
  t.equal(elsewhere?.password, undefined);
  t.equal(await openEventStore({ ...deps, secretKey: testSecretKey }, service.otherPageId), undefined);
});

t.test('429: the service connects to one store of a page at a time', async (t) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
  });
  const url = `http://127.0.0.1:${await listenUntilEnd(t, silent)}`;
  const first = send('PUT', path, { ...settings, url, password });
  await waitUntil('the service connects', async () => sockets.length > 0);
  const second = await send('PUT', path, { ...settings, url, password });
  t.match(second, { status: 429, body: { error: /connects to a store of this page now/ } });
  t.equal(second.headers.get('retry-after'), '1');
  t.equal((await send('POST', `${path}/test`)).status, 429);
  silent.close();
  for (const socket of sockets) socket.destroy();
  t.equal((await first).status, 400);
  t.equal((await send('POST', `${path}/test`)).status, 200, 'the turn is free again');
});

t.test('200: a test says whether the store can be used', async (t) => {
  t.match((await send('POST', `${path}/test`)).body, { isUsable: true, version: /^\d+\./, error: null });
});

t.test('200: a replay makes what was given up due', async (t) => {
  await deps.sql`
    insert into delivery_queues (store, page_id, next_attempt_at) values (${service.pageId}, ${service.pageId}, now())
    on conflict do nothing`;
  await deps.sql`
    insert into delivery_batches (store, token, body, rows, events, created_at, attempts, exhausted_at, last_error)
    values (${service.pageId}, gen_random_uuid(), '\\x00', 1, 7, now(), 9, now(), 'It was full.')`;
  t.match((await send('GET')).body, {
    backlog: { waiting: 0, exhausted: 1, events: 7, lastError: 'It was full.' },
  });
  t.same((await send('POST', `${path}/replay`)).body, { replayed: 1 });
});

t.test('412, then 204: a stale reset changes nothing', async (t) => {
  const tag = (await send('GET')).headers.get('etag') ?? '';
  t.equal((await send('DELETE', path, undefined, manageKey, { 'if-match': '"a-b"' })).status, 412);
  t.equal((await send('DELETE', path, undefined, manageKey, { 'if-match': tag })).status, 204);
  t.equal((await send('DELETE')).status, 404);
  const rows = await deps.sql`
    select action from audit_log where target_type = 'event-store' order by id`;
  t.strictSame(
    rows.map(({ action }) => action),
    [
      'event-store.create',
      'event-store.test',
      'event-store.test',
      'event-store.replay',
      'event-store.delete',
    ],
  );
});

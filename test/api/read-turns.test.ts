import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { analyticsLimits } from '../../contract/analytics/limits.js';
import type { Tile } from '../../contract/manage/boards.js';
import { createShare, putBoard } from '../../control/boards/index.js';
import { setEventStore } from '../../control/event-stores/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { captureLog } from '../support/capture-log.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { answer, startHostileStore } from '../support/hostile-store.js';
import { makeKey, makePage } from '../support/pages.js';
import { openConnection } from '../support/raw-http.js';
import { startAnother, startTestService, withoutJobs } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const { readsPerPage, readsWaitingPerPage } = analyticsLimits;
const api = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
const deps = { sql: api.stores.sql, clock: systemClock };
const { key: otherKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
const get = (path: string, key = api.readKey, service = api) =>
  service.get(`/api/v1/analytics/${path}`, { authorization: `Bearer ${key}` });

/** Starts a service that reaches both stores through gates. */
async function startBehindGates(t: Test) {
  const gates = {
    clickhouse: await openTcpGate(t, api.stores.clickhouseUrl),
    postgres: await openTcpGate(t, api.stores.databaseUrl),
  };
  const urls = { clickhouseUrl: gates.clickhouse.url, databaseUrl: gates.postgres.url };
  const slow = await startAnother(t, api, { ...urls, roles: withoutJobs });
  return { gates, slow };
}

const counting = 'SELECT sum(requests) AS abandoned FROM requests_minute WHERE minute >= {from:DateTime}';
const tiles: Tile[] = [
  {
    ...{ id: 'totals', title: 'Totals', x: 0, y: 0, width: 12, height: 2, display: 'number' },
    source: { figure: { path: 'totals' } },
  },
  {
    ...{ id: 'count', title: 'Count', x: 0, y: 2, width: 12, height: 2, display: 'table' },
    source: { sql: counting },
  },
];

/** Makes a link to a board with a figure and a statement, and returns the path of its JSON. */
async function shareBoard(): Promise<string> {
  const ref = { pageId: api.pageId, slug: 'shared' };
  const own = { ...deps, by: testActor };
  await putBoard(own, { ...ref, name: 'Shared', tiles });
  const { token } = await createShare(own, { ...ref, name: 'Screen', expiresAt: undefined });
  return `/api/v1/shared-boards/${token}`;
}

t.test('a read that waits leaves with its caller, and gets an answer within seconds', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const { log, entries } = captureLog();
  const slow = await startAnother(t, api, { clickhouseUrl: gate.url, roles: withoutJobs, log });
  const keyOf = async (slug: string) => (await makeKey(deps, { slug, scope: 'read' })).key;
  await makePage(deps.sql, { slug: 'third' });
  await makePage(deps.sql, { slug: 'fourth' });
  const busy = [api.readKey, otherKey, await keyOf('third')];
  gate.stall(/FROM messages/);
  const hanging = busy.flatMap((key) =>
    Array.from({ length: readsPerPage }, () => get('messages', key, slow)),
  );
  await waitUntil('the reads of three pages hang', () => gate.held() === busy.length * readsPerPage);

  const connection = await openConnection(t, slow.url);
  connection.send(
    'GET /api/v1/analytics/messages HTTP/1.1\r\nhost: test\r\nx-request-id: gone\r\n' +
      `authorization: Bearer ${api.readKey}\r\n\r\n`,
  );
  // The service has read what came before.
  await slow.get('/healthz');
  const waiting = [get('messages', api.readKey, slow), get('messages', await keyOf('fourth'), slow)];
  connection.socket.destroy();
  await waitUntil('the read without a caller ends', () =>
    entries().some(({ requestId }) => requestId === 'gone'),
  );
  t.match(
    entries().filter(({ requestId }) => requestId === 'gone'),
    [{ level: 20, status: 499 }],
  );

  const [ofBusy, ofFourth] = await Promise.all(waiting);
  t.match(ofBusy, {
    status: 429,
    body: { error: 'Earlier reads of this page have run for 5 s; retry later.' },
  });
  t.equal(ofBusy?.headers.get('retry-after'), '1');
  t.match(ofFourth, { status: 503, body: { error: /^The service is asked for more than it can read/ } });
  t.match(ofFourth?.headers.get('retry-after'), /^\d+$/);
  t.equal(gate.held(), busy.length * readsPerPage, 'while the others hang');
  await gate.close();
  await gate.open();
  await Promise.all(hanging);
  t.equal((await get('messages', api.readKey, slow)).status, 200, 'and their turns are free again');
});

t.test('a read that waited through an outage is not told that it asked for too much', async (t) => {
  const { gates, slow } = await startBehindGates(t);
  const isReady = async () => (await slow.get('/readyz')).status === 200;
  await get('requests', api.readKey, slow);
  gates.clickhouse.stall(/FROM messages/);
  const hanging = Array.from({ length: readsPerPage }, () => get('messages', api.readKey, slow));
  await waitUntil('the reads hang', () => gates.clickhouse.held() === readsPerPage);

  await gates.postgres.close();
  const waiting = get('messages', api.readKey, slow);
  await waitUntil('the outage is noticed', async () => !(await isReady()));
  await gates.postgres.open();
  await waitUntil('the outage is over', isReady);
  t.match(await waiting, { status: 503, body: { error: /^The store cannot be reached/ } });
  t.equal(gates.clickhouse.held(), readsPerPage, 'while the others hang');
  await gates.clickhouse.close();
  await gates.clickhouse.open();
  await Promise.all(hanging);
});

t.test('while PostgreSQL is down, a read that asks it takes no turn of one that does not', async (t) => {
  const { gates, slow } = await startBehindGates(t);
  await get('requests', api.readKey, slow);
  gates.clickhouse.stall(/FROM messages/);
  const hanging = Array.from({ length: readsPerPage }, () => get('messages', api.readKey, slow));
  await waitUntil('the reads hang', () => gates.clickhouse.held() === readsPerPage);

  gates.postgres.stall();
  await waitUntil('the outage is noticed', async () => (await slow.get('/readyz')).status === 503);
  // Each of these would hold a turn until PostgreSQL had time to answer.
  const reporters = Array.from({ length: 2 * readsPerPage }, () => get('reporters', api.readKey, slow));
  await slow.get('/healthz');
  const last = get('messages', api.readKey, slow);
  t.equal((await slow.get('/readyz')).status, 503, 'those that wait have looked as well');
  await gates.clickhouse.close();
  await gates.clickhouse.open();
  t.equal((await last).status, 200);
  const unavailable = { status: 503, body: { code: 'store.unavailable' } };
  t.match(await Promise.all(reporters), Array(reporters.length).fill(unavailable));
  await Promise.all(hanging);
});

t.test('a figure of a shared board waits for its turn while one of its readers is there', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const { log, entries } = captureLog();
  const slow = await startAnother(t, api, { clickhouseUrl: gate.url, roles: withoutJobs, log });
  const board = await shareBoard();
  // PostgreSQL has then answered those who asked for the tile before.
  const lookUp = async () => {
    for (let times = 0; times < 3; times += 1) await slow.get(board);
  };
  gate.stall(/FROM messages/);
  const hanging = Array.from({ length: readsPerPage }, () => get('messages', api.readKey, slow));
  await waitUntil('the reads hang', () => gate.held() === readsPerPage);

  const first = await openConnection(t, slow.url);
  first.send(`GET ${board}/tiles/totals HTTP/1.1\r\nhost: test\r\nx-request-id: first\r\n\r\n`);
  await slow.get('/healthz');
  await lookUp();
  const second = slow.get(`${board}/tiles/totals`);
  await lookUp();
  first.socket.destroy();
  const ofFirst = () => entries().filter(({ requestId }) => requestId === 'first');
  await waitUntil('the first reader is gone', () => ofFirst().length > 0);
  t.match(ofFirst(), [{ level: 20, status: 499 }]);

  await gate.close();
  await gate.open();
  t.match(await second, { status: 200, body: { id: 'totals', kind: 'figure' } });
  await Promise.all(hanging);
});

t.test('statements of a shared board end with their readers, and leave the turn of the page', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const slow = await startAnother(t, api, { clickhouseUrl: gate.url, roles: withoutJobs });
  const board = await shareBoard();
  gate.stall(/abandoned/);
  const readers = await Promise.all(
    [1, 2, 3, 4, 5].map(async (hours) => {
      const reader = await openConnection(t, slow.url);
      reader.send(`GET ${board}/tiles/count?from=now-${hours}h HTTP/1.1\r\nhost: test\r\n\r\n`);
      return reader;
    }),
  );
  await waitUntil('a statement runs', () => gate.held() === 1);
  for (const { socket } of readers) socket.destroy();
  await waitUntil('it has ended', () => gate.held() === 0);
  t.equal((await slow.get(`${board}/tiles/totals`)).status, 200);
  t.equal(gate.held(), 0, 'none of the others has begun');
});

/** The last test: reads of the page then go to the store that is gone. */
t.test('a page with a store of its own has turns, and takes none of the other pages', async (t) => {
  const store = await startHostileStore(t, answer(''));
  const address = { url: store.url, database: 'events', username: 'owner', password: 'secret' };
  await setEventStore(
    { ...deps, secretKey: testSecretKey, by: testActor },
    { pageId: api.pageId, ...address },
  );
  await waitUntil('the service asks the new store', async () => {
    await get('messages');
    return store.queries.length > 0;
  });
  const hanging: Socket[] = [];
  store.behave = (socket) => hanging.push(socket);
  const reads = Array.from({ length: readsPerPage + readsWaitingPerPage + 1 }, () => get('reporters'));
  t.match(await Promise.race(reads), {
    status: 429,
    body: { error: /^2 reads of this page are running and 30 are waiting/ },
  });
  t.equal((await get('messages', otherKey)).status, 200, 'another page has turns of its own');
  t.equal((await get('rejections')).status, 200, 'and so have the reads of the page from the shared stores');
  store.behave = answer('');
  for (const socket of hanging) answer('')(socket, '');
  const answers = await Promise.all(reads);
  t.equal(
    answers.filter(({ status }) => status === 200).length,
    readsPerPage + readsWaitingPerPage,
    'they end',
  );
});

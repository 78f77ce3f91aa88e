import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { environmentFor } from '../support/cli-environment.js';
import { makeKey } from '../support/pages.js';
import { countRequests } from '../support/rollups.js';
import { runInProcess } from '../support/run-heartline.js';
import { startTestService } from '../support/service.js';
import { openEmptyClickHouse } from '../support/stores.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { allowPrivateAddresses: true, hasLog: false });
const { sql, clickhouse } = api.stores;
const own = await openEmptyClickHouse(t);
const gate = await openTcpGate(t, own.clickhouseUrl);
const { username, password, pathname } = new URL(own.clickhouseUrl);
const folder = await temporaryFolder(t);
const passwordFile = join(folder, 'password');
await writeFile(passwordFile, `${decodeURIComponent(password)}\n`);
const env = { ...environmentFor(api.stores), HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' };
const gateUrl = new URL(gate.url).origin;

const run = (args: string[], more: Record<string, string> = {}) =>
  runInProcess(['store', ...args], { ...env, ...more });
const setArgs = ['--url', gateUrl, '--user', username, '--database', pathname.slice(1)];
const set = (more: Record<string, string> = {}, args = setArgs) =>
  run(['set', '--page', 'acme', ...args, '--password-file', passwordFile, '--json'], more);

async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run([...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const events = (endpoint: string, count = 1) =>
  Array.from({ length: count }, () => ({ service: 'shop', endpoint, status: 200 }));
const post = (endpoint: string, key = api.ingestKey) => api.post('/api/v1/events', events(endpoint), { key });
/** Counts the requests of the page in a ClickHouse when no block is on its way any more. */
async function count(client = clickhouse): Promise<number> {
  await api.settle();
  return countRequests(client, api.pageId);
}
const here = () => count();
const there = () => count(own.clickhouse);
const readKeyOfOther = (await makeKey({ sql, clock: systemClock }, { slug: 'other', scope: 'read' })).key;
const analytics = (key: string) =>
  api.get('/api/v1/analytics/reporters?window=3600', { authorization: `Bearer ${key}` });

const untilNothingWaits = () =>
  waitUntil('nothing waits', async () => (await sql`select 1 from delivery_batches`).length === 0);

t.test('a bad store is refused with a sentence and changes nothing', async (t) => {
  const wrong = join(folder, 'wrong');
  await writeFile(wrong, 'wrong');
  const cases: [Promise<{ code: number | null; stderr: string }>, RegExp][] = [
    [set({ HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'off' }), /not a public address. Allow private addresses/],
    [set({}, ['--url', 'http://127.0.0.1:1', '--user', 'x']), /cannot be reached \(ECONNREFUSED\)/],
    [set({}, ['--url', `${gateUrl}/path`, '--user', 'x']), /without a path/],
    [set({}, ['--url', 'http://user:secret@127.0.0.1:1', '--user', 'x']), /must not hold a user name/],
    [set({}, ['--url', 'ftp://127.0.0.1', '--user', 'x']), /http:\/\/ or https:\/\//],
    [set({}, ['--url', gateUrl, '--user', username, '--database', 'a b']), /not a name for a database/],
    [run(['set', '--page', 'acme', ...setArgs, '--password-file', wrong]), /refuses the user|Authentication/],
    [run(['set', '--page', 'nobody', ...setArgs, '--password-file', passwordFile]), /no page with the slug/],
    [run(['test', '--page', 'acme']), /has no store of its own/],
    [run(['reset', '--page', 'acme']), /has no store of its own/],
  ];
  for (const [outcome, sentence] of cases) {
    const { code, stderr } = await outcome;
    t.equal(code, 1, String(sentence));
    t.match(stderr, sentence);
    t.notMatch(stderr, /secret|at .*\.js/);
  }
  t.match(await runJson('show', '--page', 'acme'), {
    store: undefined,
    buffer: { pending: 0, exhausted: 0 },
  });
  t.match(await post('/before'), { status: 202, body: { statements: 1 } });
  t.equal(await here(), 1);
});

t.test(
  'the events of the page go to its own ClickHouse and are read there; the events of other pages do not',
  async (t) => {
    const { code, stdout, stderr } = await set();
    t.equal(code, 0, stderr);
    t.match(JSON.parse(stdout), { version: /^\d+\.\d+/ });
    t.match(await runJson('test', '--page', 'acme'), { version: /^\d+\.\d+/ });
    t.match(await runJson('show', '--page', 'acme'), {
      store: { url: gateUrl, database: pathname.slice(1), user: username, setAt: /^\d{4}-.*Z$/ },
    });
    t.notMatch((await run(['show', '--page', 'acme'])).stdout, new RegExp(decodeURIComponent(password)));
    await waitUntil('the service knows the new store', async () => {
      await post('/own');
      return (await there()) > 0;
    });
    const [hereBefore, thereBefore] = [await here(), await there()];
    t.match(await post('/own'), { status: 202, body: { accepted: 1, rejected: 0, rows: 1, statements: 1 } });
    t.match(await post('/other', api.otherIngestKey), { status: 202 });
    t.equal(await there(), thereBefore + 1);
    t.equal(await here(), hereBefore);
    t.equal(await countRequests(own.clickhouse, api.otherPageId), 0);

    t.match((await analytics(api.readKey)).body, { reporters: [{ id: 'shop', requests: thereBefore + 1 }] });
    t.match((await analytics(readKeyOfOther)).body, { reporters: [{ id: 'shop', requests: 1 }] });
    const sqlAnswer = await api.post('/api/v1/analytics/sql', { sql: 'SELECT 1' }, { key: api.readKey });
    t.match(sqlAnswer, { status: 409, body: { error: /ClickHouse of its own/ } });
  },
);

t.test(
  'while the ClickHouse is unavailable the page gets 202 with a warning; later each event is there once',
  async (t) => {
    const before = await there();
    await gate.close();
    t.match(await post('/own'), { status: 202, body: { accepted: 1 } });
    await api.settle();
    t.match(
      await post('/own'),
      {
        status: 202,
        body: { accepted: 1, rejected: 0, rows: 1, statements: 0, warning: /delivery buffer/ },
      },
      'an insert has failed',
    );
    const other = await post('/other', api.otherIngestKey);
    t.match(other, { status: 202, body: { statements: 1 } });
    t.notOk(Object.hasOwn(Object(other.body), 'warning'));
    t.equal((await analytics(api.readKey)).status, 503);
    t.match(await runJson('show', '--page', 'acme'), { buffer: { pending: 2, events: 2 } });
    t.match(
      await runJson('show'),
      { store: undefined, buffer: { pending: 0 } },
      'the store of the installation has no backlog',
    );
    await gate.open();
    t.match(
      await runJson('replay', '--page', 'acme'),
      { replayed: 0 },
      'waiting batches are retried at once',
    );
    await waitUntil('the batch is delivered', async () => (await there()) === before + 2);
    await waitUntil('the next batch is stored directly', async () => {
      const { body } = await post('/own');
      return Object(body).statements === 1;
    });
    await api.settle();
    t.match(await runJson('show', '--page', 'acme'), { buffer: { pending: 0, exhausted: 0 } });
  },
);

t.test('a batch that was given up is delivered by command', async (t) => {
  await gate.close();
  await post('/own');
  // An attempt that is still running would overwrite what the test writes. After a failed attempt the queue pauses.
  await waitUntil('an attempt has failed', async () => {
    const failed = await sql`
      select 1 from delivery_queues where store = ${api.pageId} and failures > 0 and claimed_until is null`;
    return failed.length > 0;
  });
  await sql`update delivery_batches set exhausted_at = now(), attempts = 50 where store = ${api.pageId}`;
  await gate.open();
  const before = await there();
  t.match(await runJson('show', '--page', 'acme'), { buffer: { pending: 0, exhausted: 1 } });
  t.match(await runJson('replay', '--page', 'acme'), { replayed: 1 });
  await waitUntil('the batch is delivered', async () => (await there()) === before + 1);
  await untilNothingWaits();
});

t.test('a reset to the store of the installation discards waiting batches', async (t) => {
  await gate.close();
  await post('/own');
  await api.settle();
  t.match(await runJson('reset', '--page', 'acme'), { discarded: 1 });
  const [hereBefore, thereBefore] = [await here(), await there()];
  await waitUntil('the service knows the new store', async () => {
    const { body } = await post('/back');
    return Object(body).statements === 1 && (await here()) > hereBefore;
  });
  await gate.open();
  await untilNothingWaits();
  t.equal(await there(), thereBefore);
  t.match(await runJson('show', '--page', 'acme'), { store: undefined });
});

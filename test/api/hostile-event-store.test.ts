import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { setEventStore } from '../../control/event-stores/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { testSecretKey } from '../support/embedded-stores.js';
import {
  answer,
  type Behaviour,
  bomb,
  endlessLine,
  endlessRows,
  rows,
  silence,
  startHostileStore,
} from '../support/hostile-store.js';
import { makeKey } from '../support/pages.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
const { sql } = api.stores;
const store = await startHostileStore(t, silence);
const address = { url: store.url, database: 'events', username: 'owner', password: 'secret' };
const otherKey = (await makeKey({ sql, clock: systemClock }, { slug: 'other', scope: 'read' })).key;
const get = (path: string, key = api.readKey) =>
  api.get(`/api/v1/analytics/${path}`, { authorization: `Bearer ${key}` });
const mebibyte = 1024 * 1024;
const fault = (what: RegExp) => ({
  status: 503,
  body: {
    error: new RegExp(`^The page's own event store .*${what.source}.* Check the ClickHouse of this page`),
  },
});
const report = { kind: 'service', source: 'shop', requests: 1, errors: 0 };

await api.post('/api/v1/events', [{ service: 'neighbour', endpoint: '/', status: 200 }], {
  key: api.otherIngestKey,
});
await setEventStore(
  { sql, clock: systemClock, secretKey: testSecretKey, by: testActor },
  { pageId: api.pageId, ...address },
);
store.behave = answer('');
await waitUntil('the service asks the new store', async () => {
  await get('messages');
  return store.queries.length > 0;
});

/** Asks for health and for another page's figures until the answer is there; returns the longest wait of each. */
async function whileAsking<T>(
  asking: Promise<T>,
): Promise<{ answer: T; healthMsMax: number; otherMsMax: number }> {
  let done = false;
  const finished = asking.finally(() => {
    done = true;
  });
  async function watch(ask: () => Promise<{ status: number }>): Promise<number> {
    let msMax = 0;
    while (!done) {
      const startedAt = performance.now();
      const { status } = await ask();
      msMax = Math.max(msMax, performance.now() - startedAt);
      if (status !== 200) throw new Error(`A neighbour was answered ${status}.`);
      await sleep(20);
    }
    return msMax;
  }
  const [healthMsMax, otherMsMax] = await Promise.all([
    watch(() => api.get('/healthz')),
    watch(() => get('reporters', otherKey)),
  ]);
  return { answer: await finished, healthMsMax, otherMsMax };
}

async function attack(behave: Behaviour, path: string) {
  store.behave = behave;
  const rssBefore = process.memoryUsage().rss;
  const sentBefore = store.sent();
  const outcome = await whileAsking(get(path));
  await waitUntil('the connection is closed', async () => store.open() === 0);
  return {
    ...outcome,
    grownMebibytes: Math.round((process.memoryUsage().rss - rssBefore) / mebibyte),
    sentMebibytes: Math.round((store.sent() - sentBefore) / mebibyte),
  };
}

/** Rows that each fit, with a name as long as one may be. */
const step = { group: 'a'.repeat(250), step: 1, count: 1, errors: 0, clientErrors: 0, latencyCount: 0 };
const endlessSteps = endlessRows({ ...step, latencySumUs: 0, percentiles: [null, null, null] });
const groups = rows(...Array.from({ length: 20 }, () => ({ group: 'a' })));
const largeRows: Behaviour = (socket, query) => {
  if (query.includes('kept_since')) return rows()(socket, query);
  (query.includes('sumMap') ? endlessSteps : groups)(socket, query);
};
const attacks: [name: string, behave: Behaviour, path: string, what: RegExp][] = [
  ['endless rows', endlessRows(report), 'reporters', /more than the 2200 rows|without the columns/],
  [
    'endless rows of a series',
    largeRows,
    'requests?from=now-24h&step=60&groupBy=service',
    /more than|larger than|takes too long/,
  ],
  ['an endless line', endlessLine, 'reporters', /a line of more than 64 KiB/],
  ['a gzip bomb', bomb(report), 'reporters', /compressed/],
];
for (const [name, behave, path, what] of attacks) {
  t.test(`${name}: 503 that names the store, and nobody else waits`, async (t) => {
    const { answer, healthMsMax, otherMsMax, grownMebibytes, sentMebibytes } = await attack(behave, path);
    t.match(answer, fault(what));
    t.equal(answer.headers.get('retry-after'), '10');
    t.ok(sentMebibytes < 64, `${sentMebibytes} MiB were sent`);
    t.ok(grownMebibytes < 250, `the process grew by ${grownMebibytes} MiB`);
    t.ok(healthMsMax < 2_000, `/healthz took up to ${healthMsMax} ms`);
    t.ok(otherMsMax < 5_000, `another page waited up to ${otherMsMax} ms`);
  });
}

t.test('malformed values are the fault of the store, on each route', async (t) => {
  const malformed: Behaviour[] = [
    rows({ kind: 'service', source: 'shop', requests: '1', errors: null, lastReportMs: 'x' }),
    rows({ kind: 'service', source: 'shop', lastReportMs: 1e300, requests: 1e300, errors: 0 }),
    rows({ atMs: 8.7e15, service: 's', endpoint: '/', method: 'GET', status: 500, message: 'm' }),
    rows({ group: {}, step: null }),
    rows({}),
    rows([]),
    answer('<html>Welcome</html>'),
    answer('moved', 'location: http://169.254.169.254/\r\n', '302 Found'),
    answer('Code: 60. DB::Exception: secret (UNKNOWN_TABLE)', '', '404 Not Found'),
  ];
  for (const behave of malformed) {
    store.behave = behave;
    for (const path of ['requests', 'requests?groupBy=service', 'reporters', 'messages']) {
      const got = await get(path);
      t.match(got, fault(/./), path);
      t.notMatch(JSON.stringify(got.body), /127\.0\.0\.1|secret|169\.254/);
    }
  }
  const other = await get('reporters', otherKey);
  t.match(other, { status: 200, body: { reporters: [{ id: 'neighbour' }] } });
});

t.test('right values are answered', async (t) => {
  const shop = { pageId: api.pageId, kind: 'service', source: 'shop' };
  store.behave = rows({ ...shop, requests: 5, errors: 0 });
  t.match(await get('reporters'), fault(/columns/), 'the same rows do not answer another query');
  store.behave = (socket, query) => {
    const traffic = rows({ ...shop, requests: 5, errors: 0 });
    const reports = rows({ ...shop, lastReportMs: Date.now() });
    if (query.includes('AS requests')) traffic(socket, query);
    else if (query.includes('AS lastReportMs')) reports(socket, query);
    else answer('')(socket, query);
  };
  t.match(await get('reporters'), { status: 200, body: { reporters: [{ id: 'shop', requests: 5 }] } });
});

import t, { type Test } from 'tap';
import { countRequests, readRequests, select } from '../support/rollups.js';
import { type Answer, startAnother, startTestService, type TestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const first = await startTestService(t);
const second = await startAnother(t, first, { hasLog: false });
const { clickhouse, sql } = first.stores;
const settle = () => Promise.all([first.settle(), second.settle()]);

/** The two versions of the route, and a body of each that stores its events for a service or reporter of this name. */
const versions = [
  {
    path: '/api/v1/events',
    bodyOf: (name: string, events: object[], more: object = {}) => ({
      events: events.map((event) => ({ ...event, service: name })),
      ...more,
    }),
  },
  {
    path: '/api/v2/events',
    bodyOf: (name: string, events: object[], more: object = {}) => ({
      reporter: { reporterId: name, englishName: name },
      events,
      ...more,
    }),
  },
] as const;

const event = { endpoint: '/a', status: 200, ms: 3 };

async function requestsOf(name: string, page = first.pageId): Promise<number> {
  await settle();
  const rows = await readRequests(clickhouse);
  const ofName = rows.filter((row) => row.page === page && row.service === name);
  return ofName.reduce((sum, { requests }) => sum + requests, 0);
}

/** The answer to a batch that was stored before: the first answer, marked. */
function isDuplicateOf(t: Test, answer: Answer, original: Answer, what = 'a duplicate'): void {
  t.equal(original.status, 202, what);
  t.equal(answer.status, 202, what);
  t.strictSame(answer.body, { ...(original.body as object), duplicate: true }, what);
}

for (const { path, bodyOf } of versions) {
  const prefix = path.slice(5, 7);

  t.test(`${path} 202: an equal id is stored once, on any instance`, async (t) => {
    const body = bodyOf(`${prefix}-once`, [event, { ...event, status: 'none' }], { batchId: 'a' });
    const original = await first.post(path, body);
    t.match(original, { status: 202, body: { accepted: 1, rejected: 1, rows: 1, statements: 1 } });
    t.notOk('duplicate' in (original.body as object));
    for (const api of [first, second, first]) isDuplicateOf(t, await api.post(path, body), original);
    t.equal(await requestsOf(`${prefix}-once`), 1);
  });

  t.test(`${path} 202: equal ids at the same time, over two instances`, async (t) => {
    const body = bodyOf(`${prefix}-together`, [event, event], { batchId: 'together' });
    const apis = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? first : second));
    const answers = await Promise.all(apis.map((api) => api.post(path, body)));
    const original = answers.filter(({ body }) => !('duplicate' in (body as object)));
    t.equal(original.length, 1, 'one of them was the first');
    for (const answer of answers) {
      if (answer !== original[0]) isDuplicateOf(t, answer, original[0] as Answer);
    }
    t.equal(await requestsOf(`${prefix}-together`), 2);
  });

  t.test(`${path} 202: different ids in one write with a duplicate among them`, async (t) => {
    const name = `${prefix}-mixed`;
    const bodyWith = (batchId: string) => bodyOf(name, [event], { batchId });
    await first.post(path, bodyWith('seen'));
    const ids = ['new-1', 'seen', 'new-2', 'new-3'];
    const answers = await Promise.all(ids.map((id) => second.post(path, bodyWith(id))));
    t.strictSame(
      answers.map(({ body }) => 'duplicate' in (body as object)),
      [false, true, false, false],
    );
    t.equal(await requestsOf(name), 4);
  });

  t.test(`${path} 202: the id counts, not the content, and null is none`, async (t) => {
    const name = `${prefix}-other`;
    const original = await first.post(path, bodyOf(name, [event], { batchId: 'same' }));
    const other = bodyOf(name, [event, event, event], { batchId: 'same' });
    isDuplicateOf(t, await first.post(path, other), original);
    for (const more of [{ batchId: null }, { batchId: null }, {}]) {
      const answer = await first.post(path, bodyOf(name, [event], more));
      t.match(answer, { status: 202, body: { accepted: 1 } });
      t.notOk('duplicate' in (answer.body as object));
    }
    t.equal(await requestsOf(name), 4);
  });

  t.test(`${path} 202: a batch without a valid event has its id, too`, async (t) => {
    const rejected = bodyOf(`${prefix}-rejected`, [{ status: 'none' }], { batchId: 'rejected' });
    const original = await first.post(path, rejected);
    t.match(original, { body: { accepted: 0, rejected: 1, rejections: [{ reason: /./ }] } });
    isDuplicateOf(t, await second.post(path, rejected), original);
    const valid = bodyOf(`${prefix}-rejected`, [event], { batchId: 'rejected' });
    isDuplicateOf(t, await second.post(path, valid), original);
  });

  t.test(`${path} 202: each page has its own ids`, async (t) => {
    const body = bodyOf(`${prefix}-pages`, [event], { batchId: 'page' });
    for (const key of [first.ingestKey, first.otherIngestKey]) {
      const answer = await first.post(path, body, { key });
      t.match(answer, { status: 202, body: { accepted: 1 } });
      t.notOk('duplicate' in (answer.body as object));
    }
    t.equal(await requestsOf(`${prefix}-pages`), 1);
    await waitUntil(
      'the other page has its event',
      async () => (await requestsOf(`${prefix}-pages`, first.otherPageId)) === 1,
    );
  });

  t.test(`${path} 202: any id of 1 to 64 characters`, async (t) => {
    const ids = [' ', '0', 'a'.repeat(64), 'ü'.repeat(64), '"\\\n\u0000', '\ud800', '__proto__', '日本'];
    const post = (batchId: string) => first.post(path, bodyOf(`${prefix}-ids`, [event], { batchId }));
    for (const id of ids) {
      const original = await post(id);
      isDuplicateOf(t, await post(id), original, id);
    }
    t.equal(await requestsOf(`${prefix}-ids`), ids.length);
  });

  t.test(`${path} 400: an id of another form, and nothing is stored`, async (t) => {
    const name = `${prefix}-invalid`;
    for (const batchId of ['', 'a'.repeat(65), 7, true, [], ['a'], {}, { id: 'a' }]) {
      const answer = await first.post(path, bodyOf(name, [event], { batchId }));
      t.equal(answer.status, 400, JSON.stringify(batchId));
      t.strictSame(answer.body, {
        error: 'The "batchId" must be a text of 1 to 64 characters.',
        code: 'batch_id.invalid',
      });
    }
    t.equal(await requestsOf(name), 0);
  });
}

/** A batch of each version for a name, with one event. */
const bodiesOf = (name: string, batchId?: string) =>
  versions.map(({ path, bodyOf }) => {
    const own = `${path.slice(5, 7)}-${name}`;
    return { path, name: own, body: bodyOf(own, [event], batchId === undefined ? {} : { batchId }) };
  });

t.test('202: after a restart', async (t) => {
  const before = await startAnother(t, first);
  const originals: Answer[] = [];
  for (const { path, body } of bodiesOf('restart', 'restart')) originals.push(await before.post(path, body));
  await before.service.close();
  const after = await startAnother(t, first);
  for (const [at, { path, name, body }] of bodiesOf('restart', 'restart').entries()) {
    isDuplicateOf(t, await after.post(path, body), originals[at] as Answer, path);
    t.equal(await requestsOf(name), 1, path);
  }
});

t.test('202 with a warning while ClickHouse is unavailable; sent again, the batch counts once', async (t) => {
  const gate = await openTcpGate(t, first.stores.clickhouseUrl);
  const instance = await startAnother(t, first, { clickhouseUrl: gate.url });
  await gate.close();
  for (const { path, body } of bodiesOf('away', 'away')) {
    const original = await instance.post(path, body);
    t.match(original, { status: 202, body: { accepted: 1 } }, path);
    isDuplicateOf(t, await instance.post(path, body), original, path);
  }
  await gate.open();
  await untilBufferIsEmpty();
  for (const { name } of bodiesOf('away')) t.equal(await requestsOf(name), 1, name);
});

t.test('503 while PostgreSQL is unavailable; sent again, the batch counts once', async (t) => {
  const gate = await openTcpGate(t, first.stores.databaseUrl);
  const instance = await startAnother(t, first, { databaseUrl: gate.url });
  // The key and the names are in memory then.
  for (const { path, body } of bodiesOf('503')) await instance.post(path, body);
  await gate.close();
  for (const { path, body } of bodiesOf('503', '503')) {
    const refused = await instance.post(path, body);
    t.match(refused, {
      status: 503,
      body: { error: 'The store cannot be reached right now. Retry later.', code: 'store.unavailable' },
    });
    t.match(refused.headers.get('retry-after'), /^\d+$/);
  }
  for (const { path, body } of bodiesOf('503')) {
    t.match(await instance.post(path, body), { status: 202 }, 'one without an id is taken');
  }
  await gate.open();
  for (const { path, body } of bodiesOf('503', '503')) {
    let original: Answer | undefined;
    await waitUntil('the batch is taken', async () => {
      original = await instance.post(path, body);
      return original.status === 202;
    });
    isDuplicateOf(t, await instance.post(path, body), original as Answer, path);
  }
  await instance.settle();
  for (const { name } of bodiesOf('503')) t.equal(await requestsOf(name), 3, name);
});

t.test('202: reporters choose their ids without knowing of one another', async (t) => {
  const [v1, v2] = versions;
  const bodies = [
    v2.bodyOf('worker-1', [event], { batchId: '1' }),
    v2.bodyOf('worker-2', [event], { batchId: '1' }),
  ];
  for (const body of bodies) {
    const answer = await first.post(v2.path, body);
    t.match(answer, { status: 202, body: { accepted: 1 } });
    t.notOk('duplicate' in (answer.body as object));
  }
  const ofService = await first.post(v1.path, v1.bodyOf('worker-1', [event], { batchId: '1' }));
  t.notOk('duplicate' in (ofService.body as object), 'and a service is no reporter');
});

t.test('202: a heartbeat with an id is one sign of life', async (t) => {
  const [, { path, bodyOf }] = versions;
  const body = bodyOf('heart', [], { batchId: 'beat' });
  const original = await first.post(path, body);
  t.match(original, { status: 202, body: { accepted: 0, heartbeat: true, reporterId: 'heart' } });
  isDuplicateOf(t, await first.post(path, body), original);
  await settle();
  const [row] = await select<{ calls: string }>(
    clickhouse,
    `SELECT sum(calls) AS calls FROM reports WHERE service = 'heart'`,
  );
  t.equal(Number(row?.calls), 1);
});

t.test('a read shows what was acknowledged before it', async (t) => {
  const [{ path, bodyOf }] = versions;
  const headers = { authorization: `Bearer ${first.readKey}` };
  const countSeen = async (api: TestService) => {
    const { body } = await api.get('/api/v1/analytics/totals?service=seen', headers);
    return (body as { now: { requests: number } }).now.requests;
  };
  for (let sent = 1; sent <= 5; sent += 1) {
    await first.post(path, bodyOf('seen', [event], { batchId: `seen-${sent}` }));
    t.equal(await countSeen(first), sent);
  }
});

t.test('without an id there is none', async (t) => {
  const [{ path, bodyOf }] = versions;
  const count = async () => (await sql`select 1 from event_batches`).length;
  const before = await count();
  await first.post(path, bodyOf('unnamed', [event]));
  await first.post(path, [event]);
  t.equal(await count(), before);
  t.ok((await countRequests(clickhouse, first.pageId)) > 0);
});

function untilBufferIsEmpty(): Promise<void> {
  return waitUntil(
    'the buffer is empty',
    async () =>
      (await sql`select token from delivery_batches union all select token from held_blocks`).length === 0,
    60_000,
  );
}

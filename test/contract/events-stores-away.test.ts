import t from 'tap';
import { countRequests } from '../support/rollups.js';
import { type Answer, startAnother, startTestService, type TestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

/** Both versions of the event route while a store is unavailable. */
const api = await startTestService(t);
const event = { endpoint: '/a', status: 200 };
const reporter = { reporterId: 'worker-1', englishName: 'Worker 1' };
const versions = [
  { path: '/api/v1/events', bodyOf: (events: unknown[]): object => ({ events }) },
  { path: '/api/v2/events', bodyOf: (events: unknown[]): object => ({ reporter, events }) },
] as const;
const count = () => countRequests(api.stores.clickhouse, api.otherPageId);

async function settledCount(instance: TestService): Promise<number> {
  await instance.settle();
  return count();
}

t.test('503: PostgreSQL is unavailable and the key not in memory; keys in memory work', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const instance = await startAnother(t, api, { databaseUrl: gate.url });
  for (const { path, bodyOf } of versions) t.equal((await instance.post(path, bodyOf([]))).status, 202, path);
  await gate.close();
  for (const { path, bodyOf } of versions) {
    const answer = await instance.post(path, bodyOf([event]), { key: `key_ingest_${'z'.repeat(43)}` });
    t.equal(answer.status, 503, path);
    t.strictSame(answer.body, {
      error: 'The store cannot be reached right now. Retry later.',
      code: 'store.unavailable',
    });
    t.match(answer.headers.get('content-type'), /^application\/json/);
    t.match(answer.headers.get('retry-after'), /^\d+$/);
    t.equal((await instance.post(path, bodyOf([]))).status, 202, path);
  }
  await gate.open();
});

t.test('503, and nothing is stored: PostgreSQL acknowledges, and is unavailable', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const instance = await startAnother(t, api, { databaseUrl: gate.url, hasLog: false });
  const post = ({ path, bodyOf }: (typeof versions)[number]) =>
    instance.post(path, bodyOf([event]), { key: api.otherIngestKey });
  for (const version of versions) t.equal((await post(version)).status, 202, version.path);
  const before = await settledCount(instance);
  await gate.close();
  for (const version of versions) t.match(await post(version), { status: 503 }, version.path);
  await gate.open();
  t.equal(await settledCount(instance), before);
});

/** Batches that are acknowledged from the log, or from PostgreSQL, have a warning once ClickHouse is known to be away. */
for (const hasLog of [true, false]) {
  const from = hasLog ? 'the log' : 'PostgreSQL';
  t.test(`202 from ${from}, with a warning once ClickHouse is known to be unavailable`, async (t) => {
    const gate = await openTcpGate(t, api.stores.clickhouseUrl);
    const instance = await startAnother(t, api, { clickhouseUrl: gate.url, hasLog });
    const before = await count();
    await gate.close();
    let sent = 0;
    for (const { path, bodyOf } of versions) {
      let answer: Answer | undefined;
      await waitUntil('an answer has a warning', async () => {
        answer = await instance.post(path, bodyOf([event]), { key: api.otherIngestKey });
        sent += 1;
        if (answer.status !== 202) throw new Error(`${path}: ${answer.status}`);
        return (answer.body as { warning?: string }).warning !== undefined;
      });
      const warning = hasLog ? /is in the log, and is stored/ : /is in the delivery buffer, and is stored/;
      t.match(answer, { status: 202, body: { accepted: 1, statements: 0, warning } }, path);
    }
    await gate.open();
    await waitUntil('the events are stored', async () => (await count()) === before + sent);
    await instance.settle();
    t.equal(await count(), before + sent, 'and none twice');
  });
}

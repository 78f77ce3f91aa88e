import type { Socket } from 'node:net';
import t from 'tap';
import { setEventStore } from '../../control/event-stores/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { answer, drip, startHostileStore } from '../support/hostile-store.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

let aheadMs = 0;
const clock = { now: () => systemClock.now() + aheadMs };
const retryMs = 30_000;

/** As ClickHouse answers a query of columns that the tables do not have. */
const unknownColumn = answer(
  'Code: 47. DB::Exception: Unknown expression (UNKNOWN_IDENTIFIER)',
  'x-clickhouse-exception-code: 47\r\n',
  '404 Not Found',
);

t.test('one byte each half second holds a request for 8 s and no longer, as does a migration', async (t) => {
  const api = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs, clock });
  const store = await startHostileStore(t, answer(''));
  const address = { url: store.url, database: 'events', username: 'owner', password: 'secret' };
  const deps = { sql: api.stores.sql, clock: systemClock, secretKey: testSecretKey, by: testActor };
  await setEventStore(deps, { pageId: api.pageId, ...address });
  const get = (path = 'reporters') =>
    api.get(`/api/v1/analytics/${path}`, { authorization: `Bearer ${api.readKey}` });
  await waitUntil('the service asks the new store', async () => {
    await get();
    return store.queries.length > 0;
  });
  const isOfMigration = (query: string) => /\bmigrations\b/.test(query);
  const migrations = () => store.queries.filter(isOfMigration).length;
  const first = migrations();
  t.match(store.queries[0], /\bmigrations\b/, 'a read migrates the store first');
  store.behave = unknownColumn;
  t.match(await get(), { status: 503, body: { error: /own event store does not have its present tables/ } });
  t.equal(migrations(), first, 'a read soon after a migration that failed does not repeat it');
  aheadMs += retryMs;
  await get();
  t.ok(migrations() > first, 'a later one does');

  const timed = async (path: string) => {
    const startedAt = performance.now();
    return { got: await get(path), tookMs: performance.now() - startedAt };
  };
  const held: Socket[] = [];
  store.behave = (socket, query) => {
    if (isOfMigration(query)) held.push(socket);
    else drip(500)(socket, query);
  };
  const before = store.queries.length;
  const dripping = timed('messages');
  // The table tells this read from one of before, whose other queries may still arrive after its answer.
  const hasArrived = () => store.queries.slice(before).some((query) => /\bmessages\b/.test(query));
  await waitUntil('the read has arrived', async () => hasArrived());
  aheadMs += retryMs;
  const migrating = timed('reporters');
  await waitUntil('a migration has begun', async () => held.length > 0);
  for (const { got, tookMs } of await Promise.all([dripping, migrating])) {
    t.match(got, { status: 503, body: { error: /own event store cannot be used: It takes too long/ } });
    t.ok(tookMs > 7_000 && tookMs < 10_000, `${tookMs} ms`);
  }
  const asked = migrations();
  const empty = answer('');
  store.behave = empty;
  for (const socket of held) empty(socket, '');
  await waitUntil('the migration goes on after the read', async () => migrations() > asked);
  await waitUntil('the connections are closed', async () => store.open() === 0);
});

import t from 'tap';
import { setEventStore } from '../../control/event-stores/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { answer, drip, startHostileStore } from '../support/hostile-store.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

t.test('one byte each half second holds a request for 8 s and no longer', async (t) => {
  const api = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
  const store = await startHostileStore(t, answer(''));
  const address = { url: store.url, database: 'events', username: 'owner', password: 'secret' };
  const deps = { sql: api.stores.sql, clock: systemClock, secretKey: testSecretKey, by: testActor };
  await setEventStore(deps, { pageId: api.pageId, ...address });
  const get = () => api.get('/api/v1/analytics/reporters', { authorization: `Bearer ${api.readKey}` });
  await waitUntil('the service asks the new store', async () => {
    await get();
    return store.queries.length > 0;
  });
  const migrations = () => store.queries.filter((query) => /\bmigrations\b/.test(query)).length;
  const first = migrations();
  t.match(store.queries[0], /\bmigrations\b/, 'a read migrates the store first');
  await get();
  t.equal(migrations(), first, 'and tries that once');
  store.behave = drip(500);
  const startedAt = performance.now();
  const got = await get();
  const tookMs = performance.now() - startedAt;
  t.match(got, { status: 503, body: { error: /own event store cannot be used: It takes too long/ } });
  t.ok(tookMs > 7_000 && tookMs < 10_000, `${tookMs} ms`);
  await waitUntil('the connections are closed', async () => store.open() === 0);
});

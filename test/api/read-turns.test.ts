import type { Socket } from 'node:net';
import t from 'tap';
import { analyticsLimits } from '../../contract/analytics.js';
import { setEventStore } from '../../control/event-stores/index.js';
import { systemClock } from '../../lib/clock.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { answer, startHostileStore } from '../support/hostile-store.js';
import { makeKey } from '../support/pages.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const { readsPerPage, readsWaitingPerPage } = analyticsLimits;
const api = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
const deps = { sql: api.stores.sql, clock: systemClock };
const { key: otherKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
const get = (path: string, key = api.readKey) =>
  api.get(`/api/v1/analytics/${path}`, { authorization: `Bearer ${key}` });

t.test('a page with a store of its own has turns, and takes none of the other pages', async (t) => {
  const store = await startHostileStore(t, answer(''));
  const address = { url: store.url, database: 'events', username: 'owner', password: 'secret' };
  await setEventStore({ ...deps, secretKey: testSecretKey }, { pageId: api.pageId, ...address });
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

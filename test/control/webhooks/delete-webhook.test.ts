import t from 'tap';
import {
  deleteWebhook,
  listWebhooks,
  removeDeletedWebhooks,
  replayWebhookDelivery,
} from '../../../control/webhooks/index.js';
import { deferred } from '../../../lib/deferred.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import {
  announceIncident,
  countDeliveries,
  loadDeliveries,
  makeWebhook,
  startTestLoop,
} from '../../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const page = await makePage(sql);
const deps = { sql, clock: makeStoppedClock(), by: testActor };

t.test(
  'a webhook that is deleted during an attempt gets no further one, and nothing is recorded',
  async (t) => {
    const receiver = await startReceiver(t);
    const answered = deferred<void>();
    receiver.answer = async () => {
      await answered.promise;
      return { status: 500 };
    };
    const { log, text } = captureLog();
    const { id } = await makeWebhook(deps, receiver.url);
    const loop = startTestLoop(t, { ...deps, log });
    await announceIncident(deps, page.id, 2);
    await waitUntil('the first attempt runs', () => receiver.received.length === 1);
    await waitUntil('all are queued', async () => (await countDeliveries(sql, id, 'pending')) === 3);
    await deleteWebhook(deps, { id });
    answered.resolve();
    await loop.stop();
    t.same(await loadDeliveries(sql, id), []);
    t.equal(receiver.received.length, 1);
    t.equal(text(), '', 'it is no failure');
    t.same(await listWebhooks(deps, { pageId: page.id }), []);
  },
);

t.test('past deliveries are out of reach at once, and a job removes them', async (t) => {
  const receiver = await startReceiver(t);
  const [kept, deleted] = [await makeWebhook(deps, receiver.url), await makeWebhook(deps, receiver.url)];
  startTestLoop(t, deps);
  await announceIncident(deps, page.id, 1);
  for (const { id } of [kept, deleted]) {
    await waitUntil('they are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 2);
  }
  await deleteWebhook(deps, { id: deleted.id, pageId: page.id });
  const [past] = await loadDeliveries(sql, deleted.id);
  await t.rejects(replayWebhookDelivery(deps, { id: past?.id ?? '' }), likeServiceError('notFound'));
  await removeDeletedWebhooks(sql);
  const rows = await sql<{ id: string }[]>`select id from webhooks`;
  t.same([...rows], [{ id: kept.id }]);
  t.same(await loadDeliveries(sql, deleted.id), []);
  t.equal((await loadDeliveries(sql, kept.id)).length, 2);
});

t.test('a check that refuses keeps the webhook and its deliveries', async (t) => {
  const { id } = await makeWebhook(deps, 'https://hooks.example');
  await announceIncident(deps, page.id);
  const loop = startTestLoop(t, { ...deps, allowPrivateAddresses: false, attemptTimeoutMs: 1 });
  await waitUntil('it is queued', async () => (await countDeliveries(sql, id, 'pending')) === 1);
  await loop.stop();
  const refusal = new Error('no');
  const check = () => {
    throw refusal;
  };
  await t.rejects(deleteWebhook(deps, { id, check }), refusal);
  t.equal(await countDeliveries(sql, id, 'pending'), 1);
  t.equal((await listWebhooks(deps, { pageId: page.id })).length, 2);
});

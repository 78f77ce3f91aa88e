import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { disableWebhook } from '../../../control/webhooks/index.js';
import { deliveryQueue } from '../../../control/webhooks/queue.js';
import { deferred } from '../../../lib/deferred.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { type Reply, startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { openTcpGate } from '../../support/tcp-gate.js';
import { waitUntil } from '../../support/wait-until.js';
import {
  announceIncident,
  countDeliveries,
  idsInOrder,
  loadDeliveries,
  makeWebhook,
  startTestLoop,
} from '../../support/webhooks.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const page = await makePage(sql);
const clock = makeMovingClock();
const deps = { sql, clock, by: testActor };
const pastLeaseMs = deliveryQueue.leaseMs + 1_000;

t.test('another instance repeats the delivery of a killed one, and makes those behind it', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  receiver.answer = () => 'hang';
  await announceIncident(deps, page.id, 2);
  const entry = fileURLToPath(new URL('webhook-loop-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, databaseUrl], { stdio: 'inherit' });
  t.teardown(() => child.kill('SIGKILL'));
  await waitUntil('the process sends the first delivery', () => receiver.received.length === 1);
  child.kill('SIGKILL');
  await once(child, 'exit');

  receiver.answer = () => ({ status: 204 });
  const { id: witness } = await makeWebhook(deps, receiver.url.concat('/witness'));
  startTestLoop(t, deps);
  await announceIncident(deps, page.id);
  // To both webhooks, because a delivery in flight when the clock passes its claim is sent again.
  for (const webhookId of [witness, id])
    await waitUntil(
      'the loop delivers',
      async () => (await countDeliveries(sql, webhookId, 'delivered')) === 1,
    );
  await disableWebhook(deps, { id: witness });
  t.equal(
    (await loadDeliveries(sql, id))[0]?.state,
    'pending',
    'the first stays pending until the claim expires',
  );
  const [first, ...others] = await loadDeliveries(sql, id);
  clock.advance(pastLeaseMs);
  await waitUntil('all are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 4);
  const arrived = receiver.received
    .filter(({ path }) => path === '/')
    .map(({ headers }) => headers['webhook-id']);
  t.equal(
    arrived.filter((arrivedId) => arrivedId === first?.id).length,
    2,
    'the first arrives twice, with the same id',
  );
  for (const other of others) t.equal(arrived.filter((arrivedId) => arrivedId === other.id).length, 1);
  t.equal((await loadDeliveries(sql, id))[0]?.attempts, 2, 'the attempt that was cut short counts');
  await disableWebhook(deps, { id });
});

t.test('deliveries continue in order after PostgreSQL was unavailable during attempts', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const gate = await openTcpGate(t, databaseUrl);
  const pool = openPostgres(gate.url, { max: 3 });
  t.teardown(() => pool.end({ timeout: 5 }));
  const reply = deferred<Reply>();
  receiver.answer = () => reply.promise;
  const { log, text } = captureLog();
  const loop = startTestLoop(t, { sql: pool, clock, log });
  await announceIncident(deps, page.id, 2);
  await waitUntil('the first delivery arrives', () => receiver.received.length === 1);
  await gate.close();
  reply.resolve({ status: 204 });
  await waitUntil('the attempt cannot be recorded', () => text().includes('could not be sent or recorded'));
  await gate.open();
  clock.advance(pastLeaseMs);
  await waitUntil('all are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 3);
  t.strictSame(
    idsInOrder(receiver.received),
    (await loadDeliveries(sql, id)).map((delivery) => delivery.id),
  );
  t.equal(receiver.received.length, 4, 'the attempt that was not recorded is sent twice');
  t.notMatch(text(), /whsec_|127\.0\.0\.1:\d+\/hook/);
  await loop.stop();
});

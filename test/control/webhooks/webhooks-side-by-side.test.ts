import t from 'tap';
import { claimDue, type Room } from '../../../control/delivery/index.js';
import { disableWebhook, listWebhookDeliveries } from '../../../control/webhooks/index.js';
import { type ClaimedDelivery, deliveryQueue, queueDeliveries } from '../../../control/webhooks/queue.js';
import type { Clock } from '../../../lib/clock.js';
import { deferred } from '../../../lib/deferred.js';
import { secondMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { makeRoom } from '../../support/room.js';
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
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };
const room = makeRoom({ free: 32, perKey: 4 });
const claim = (room: Room) => claimDue<ClaimedDelivery>(sql, deliveryQueue, { room, now: clock.now() });

t.test('a receiver that never answers gets few connections and delays no other webhook', async (t) => {
  const [slow, quick] = [await startReceiver(t), await startReceiver(t)];
  slow.answer = () => 'hang';
  const slowId = (await makeWebhook(deps, slow.url)).id;
  const quickId = (await makeWebhook(deps, quick.url)).id;
  const loop = startTestLoop(t, { ...deps, attemptTimeoutMs: 60_000 });
  for (let i = 0; i < 10; i += 1) await announceIncident(deps, page.id);
  await waitUntil('the slow receiver has all its connections', () => slow.received.length === 4);
  for (let i = 0; i < 10; i += 1) await announceIncident(deps, page.id);
  await waitUntil(
    'the quick receiver has all deliveries',
    async () => (await countDeliveries(sql, quickId, 'delivered')) === 20,
  );
  t.equal(slow.received.length, 4);
  t.equal(await countDeliveries(sql, slowId, 'pending'), 20);

  await t.test('a loop that stops releases its running attempts', async (t) => {
    await loop.stop();
    const rows = await loadDeliveries(sql, slowId);
    t.ok(rows.every(({ state, attempts }) => state === 'pending' && attempts === 0));
    const claimed = await sql`select 1 from webhook_deliveries where claimed_until is not null`;
    t.equal(claimed.count, 0);
  });
  await t.test('an attempt ends by its time limit', async (t) => {
    startTestLoop(t, { ...deps, attemptTimeoutMs: 100 });
    const loadErrors = () =>
      sql<{ id: string; error: string }[]>`
        select delivery_id as id, error from webhook_attempts where error is not null`;
    const tried = async () => new Set((await loadErrors()).map((attempt) => attempt.id)).size;
    await waitUntil('all are attempted', async () => (await tried()) === 20);
    t.ok((await loadErrors()).every(({ error }) => error === 'timeout: No answer within 100 ms.'));
  });
  for (const id of [slowId, quickId]) await disableWebhook(deps, { id });
});

t.test('webhooks of one page that all hang take no room from another page, and take turns', async (t) => {
  const other = await makePage(sql, { slug: 'other' });
  const [slow, quick] = [await startReceiver(t), await startReceiver(t)];
  slow.answer = () => 'hang';
  const hanging = [];
  for (let at = 0; at < 10; at += 1) hanging.push((await makeWebhook(deps, `${slow.url}/${at}`)).id);
  for (let i = 0; i < 10; i += 1) await announceIncident(deps, page.id);
  startTestLoop(t, { ...deps, attemptTimeoutMs: 60_000 });
  await waitUntil('the page has all its attempts', () => slow.received.length === 12);
  const { id } = await makeWebhook(deps, quick.url, 'other');
  await announceIncident(deps, other.id);
  await waitUntil('the other page has its delivery', async () => {
    return (await countDeliveries(sql, id, 'delivered')) === 1;
  });
  t.equal(slow.received.length, 12);
  t.equal(new Set(slow.received.map(({ path }) => path)).size, 10, 'every webhook has an attempt');
  for (const webhook of hanging) await disableWebhook(deps, { id: webhook });
});

t.test('no delivery is claimed while an earlier one of its incident is not queued or not done', async (t) => {
  const { id } = await makeWebhook(deps, 'http://hooks.example/');
  await announceIncident(deps, page.id, 2);
  const [first] = await sql<{ id: string }[]>`
    select id from announcements where webhooks_queued_at is null order by seq limit 1`;
  // While an instance has the first announcement in a transaction, others skip it and see it as not queued.
  const setQueued = (at: Date | null) =>
    sql`update announcements set webhooks_queued_at = ${at} where id = ${first?.id ?? ''}`;
  await setQueued(new Date());
  t.ok(await queueDeliveries(deps));
  await setQueued(null);
  t.equal((await loadDeliveries(sql, id)).length, 2);
  t.equal((await claim(room)).length, 0);

  clock.advance(secondMs);
  t.ok(await queueDeliveries(deps));
  t.notOk(await queueDeliveries(deps), 'once');
  const order = await loadDeliveries(sql, id);
  const listed = await listWebhookDeliveries(deps, { pageId: page.id, id, limit: 10 });
  t.same(
    listed.map((delivery) => delivery.id),
    order.map((delivery) => delivery.id).reverse(),
    'the list has the order of the changes, newest first',
  );
  t.match(
    order.map(({ kind }) => kind),
    ['incident.created', 'incident.update_posted', 'incident.update_posted'],
  );
  for (const { id: expected } of order) {
    const claimed = await claim(room);
    t.strictSame(
      claimed.map((delivery) => delivery.id),
      [expected],
    );
    t.equal((await claim(room)).length, 0, 'a claimed delivery is not claimed again');
    await sql`update webhook_deliveries set state = 'delivered', finished_at = now() where id = ${expected}`;
  }
  await disableWebhook(deps, { id });
});

t.test('an instance never claims more than it has room for', async (t) => {
  const ids = [];
  for (let i = 0; i < 3; i += 1) ids.push((await makeWebhook(deps, 'http://hooks.example/')).id);
  for (let i = 0; i < 6; i += 1) await announceIncident(deps, page.id);
  await queueDeliveries(deps);
  const [one = undefined, two] = ids;
  if (one === undefined || two === undefined) throw new Error('Three webhooks were made.');
  const busy = new Map([
    [one, 4],
    [two, 3],
  ]);
  const claimed = await claim(makeRoom({ free: 25, perKey: 4, busy }));
  t.strictSame(
    ids.map((id) => claimed.filter((delivery) => delivery.webhookId === id).length),
    [0, 1, 4],
  );
  t.equal((await claim(makeRoom({ free: 2, perKey: 4 }))).length, 2);
  for (const id of ids) await disableWebhook(deps, { id });
});

t.test('no delivery is sent late in its claim, when another instance may claim it soon', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  for (let i = 0; i < 4; i += 1) await announceIncident(deps, page.id);
  let secondsPerBody = 20;
  const slow = onBodyLoad(sql, () => clock.advance(secondsPerBody * secondMs));
  startTestLoop(t, { sql: slow, clock, pollMs: 10 });
  const unsent = async () => (await loadDeliveries(sql, id)).filter(({ attempts }) => attempts === 0);
  await waitUntil('the attempts of the others do not count', async () => (await unsent()).length === 3);
  await waitUntil('the first is delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 1);
  t.equal(receiver.received.length, 1);
  secondsPerBody = 0;
  clock.advance(deliveryQueue.leaseMs);
  await waitUntil('all are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 4);
  t.equal(receiver.received.length, 4);
  t.ok((await loadDeliveries(sql, id)).every(({ attempts }) => attempts === 1));
  await disableWebhook(deps, { id });
});

/** Returns the pool; calls `onLoad` at each query that loads what a body shows. */
function onBodyLoad(sql: Sql, onLoad: () => void): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      if (/join announced_texts title/.test(String(args[0]))) onLoad();
      return Reflect.apply(target, self, args);
    },
  });
}

t.test('deliveries that are due together start in different turns of the event loop', async (t) => {
  const receiver = await startReceiver(t);
  const ids = [];
  for (let i = 0; i < 10; i += 1) ids.push((await makeWebhook(deps, receiver.url)).id);
  const incidentId = await announceIncident(deps, page.id);
  startTestLoop(t, { sql, clock: makeTurnClock(clock.now()) });
  const loadTimes = () => sql<{ at: Date }[]>`
    select a.at from webhook_attempts a
      join webhook_deliveries d on d.id = a.delivery_id
      join announcements n on n.id = d.announcement_id
    where n.incident_id = ${incidentId} and a.status = 204`;
  await waitUntil('all are delivered', async () => (await loadTimes()).length === 10);
  t.equal(new Set((await loadTimes()).map(({ at }) => at.getTime())).size, 10);
  for (const id of ids) await disableWebhook(deps, { id });
});

/** A clock that stands still within a turn of the event loop, and has advanced in the next turn that asks. */
function makeTurnClock(start: number): Clock {
  let now = start;
  let asked = false;
  return {
    now() {
      if (!asked) {
        now += 1;
        setImmediate(() => {
          asked = false;
        });
      }
      asked = true;
      return now;
    },
  };
}

t.test('an instance that holds the first announcement of an incident holds up the later ones', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const held = await announceIncident(deps, page.id, 2);
  const locked = deferred<void>();
  const finish = deferred<void>();
  const holding = inTransaction(sql, async (tx) => {
    await tx`select 1 from announcements where incident_id = ${held} order by seq limit 1 for update`;
    locked.resolve();
    await finish.promise;
  });
  await locked.promise;
  startTestLoop(t, deps);
  await waitUntil('the later ones are queued', async () => (await loadDeliveries(sql, id)).length === 2);
  await announceIncident(deps, page.id);
  await waitUntil('another incident is delivered', () => receiver.received.length === 1);
  t.not(JSON.parse(receiver.received[0]?.body ?? '').data.id, held);
  finish.resolve();
  await holding;
  await waitUntil('all are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 4);
  t.strictSame(
    receiver.received.slice(1).map(({ body }) => JSON.parse(body).data.updates.length),
    [0, 1, 2],
  );
});

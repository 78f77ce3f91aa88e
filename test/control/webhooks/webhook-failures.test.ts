import { Webhook } from 'standardwebhooks';
import t from 'tap';
import {
  disableWebhook,
  enableWebhook,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  rotateWebhook,
  testWebhook,
} from '../../../control/webhooks/index.js';
import { attemptTimeoutMs, deliveryQueue, startWithinMs } from '../../../control/webhooks/queue.js';
import { hourMs, secondMs } from '../../../lib/times.js';
import { clocksDifferMsMax } from '../../../sql/claim.js';
import { resealColumns } from '../../../sql/reseal.js';
import { sealColumn } from '../../../sql/sealed-columns.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { type Received, startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import {
  announceIncident,
  announceUpdate,
  countDeliveries,
  idsInOrder,
  loadDeliveries,
  makeWebhook,
  passTimeUntil,
  startTestLoop,
} from '../../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const page = await makePage(sql);
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };
const { leaseMs, schedule } = deliveryQueue;

const idOf = ({ headers }: Received) => headers['webhook-id'] ?? '';
const incidentOf = ({ body }: Received): string => JSON.parse(body).data.id;
const list = (id: string) => listWebhookDeliveries(deps, { id, state: undefined, limit: 100 });
const delivered = (id: string, count: number) => async () =>
  (await countDeliveries(sql, id, 'delivered')) === count;
const parked = (id: string, count: number) => async () =>
  (await countDeliveries(sql, id, 'parked')) === count;

t.test('a failed delivery is repeated with the same id, and holds up only its own incident', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const failures = new Map<string, number>();
  receiver.answer = (request) => {
    const failed = failures.get(idOf(request)) ?? 0;
    failures.set(idOf(request), failed + 1);
    return { status: failed < 1 ? 500 : 200, body: 'x'.repeat(3_000) };
  };
  startTestLoop(t, deps);
  const incidents = [await announceIncident(deps, page.id), await announceIncident(deps, page.id)];
  for (const body of ['One.', 'Two.']) {
    for (const incidentId of incidents) await announceUpdate(deps, page.id, incidentId, body);
  }
  await passTimeUntil('all are delivered', deps, delivered(id, 6));

  const rows = await sql<{ id: string; incident_id: string }[]>`
    select d.id, a.incident_id from webhook_deliveries d join announcements a on a.id = d.announcement_id
    where d.webhook_id = ${id} order by a.seq`;
  for (const incidentId of incidents) {
    const expected = rows.filter((row) => row.incident_id === incidentId).map((row) => row.id);
    const arrived = receiver.received.filter((request) => incidentOf(request) === incidentId);
    t.strictSame(
      idsInOrder(arrived),
      expected,
      'each delivery arrives after the receiver accepted the one before it',
    );
    t.equal(arrived.length, 6);
  }
  const [newest] = await list(id);
  t.match(newest, { state: 'delivered', attempts: 2, lastAttempt: { status: 200, error: null } });
  t.equal(newest?.lastAttempt?.answer?.length, 1_024, 'the start of the answer is stored');
  const attempts = await sql<{ attempt: number; status: number; error: string }[]>`
    select attempt, status, error from webhook_attempts where delivery_id = ${newest?.id ?? ''} order by attempt`;
  t.match(
    attempts.map(({ attempt, status }) => [attempt, status]),
    [
      [1, 500],
      [2, 200],
    ],
  );
  t.equal(attempts[0]?.error, 'status: The receiver answered 500.');
  await disableWebhook(deps, { id });
});

t.test(
  'a delivery is parked after ten attempts in about three days, later ones continue, and a replay starts over',
  async (t) => {
    const receiver = await startReceiver(t);
    const { id } = await makeWebhook(deps, receiver.url);
    let refused: string | undefined;
    receiver.answer = (request) => {
      refused ??= idOf(request);
      return { status: idOf(request) === refused ? 503 : 204 };
    };
    startTestLoop(t, deps);
    const began = clock.now();
    await announceIncident(deps, page.id, 2);
    await passTimeUntil('the first delivery is parked', deps, parked(id, 1));
    const hours = (clock.now() - began) / hourMs;
    t.ok(hours > 75.5 && hours < 83.3, `after ${hours} hours`);
    await passTimeUntil('the later ones are delivered', deps, delivered(id, 2));

    const [row] = await loadDeliveries(sql, id);
    t.match(row, {
      id: refused,
      attempts: 10,
      reason: 'Given up after 10 attempts. The last one: status: The receiver answered 503.',
    });
    t.equal(receiver.received.filter((request) => idOf(request) === refused).length, 10);

    await replayWebhookDelivery(deps, { id: refused ?? '' });
    await t.rejects(replayWebhookDelivery(deps, { id: refused ?? '' }), { message: /still pending/ });
    await waitUntil(
      'the replay is attempted',
      async () => (await loadDeliveries(sql, id))[0]?.attempts === 11,
    );
    await waitUntil('the next attempt is due within 6 s', async () => {
      const [replayed] = await loadDeliveries(sql, id);
      const seconds = ((replayed?.next_attempt_at.getTime() ?? 0) - clock.now()) / 1000;
      return replayed?.state === 'pending' && seconds > 0 && seconds <= 6;
    });
    receiver.answer = () => ({ status: 204 });
    await passTimeUntil('it is delivered', deps, delivered(id, 3));
    const found = (await list(id)).find((delivery) => delivery.id === refused);
    t.match(found, {
      state: 'delivered',
      reason: null,
      attempts: 12,
      lastAttempt: { status: 204, error: null },
    });
    const numbers = await sql<{ attempt: number }[]>`
    select attempt from webhook_attempts where delivery_id = ${refused ?? ''} order by attempt`;
    t.strictSame(
      numbers.map(({ attempt }) => attempt),
      Array.from({ length: 12 }, (_, index) => index + 1),
      'each attempt has its own number',
    );
    await disableWebhook(deps, { id });
  },
);

t.test('a delivery whose body cannot be composed is tried again, and keeps all its attempts', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const incidentId = await announceIncident(deps, page.id);
  const setServices = (text: string, before: string) =>
    sql`update announced_texts set text = ${text} where incident_id = ${incidentId} and text = ${before}`;
  await setServices('no JSON', '[]');
  const { log, entries } = captureLog();
  const failures = () => entries().filter(({ msg }) => /could not be composed/.test(String(msg))).length;
  startTestLoop(t, { ...deps, log });
  await waitUntil('the body is not composed', () => failures() === 1);
  // The loop has ended the run of the failure, and another one, when it has delivered two tests.
  for (const tests of [1, 2]) {
    await testWebhook(deps, { id });
    await waitUntil('a test is delivered', delivered(id, tests));
  }
  t.equal(failures(), 1, 'once in the time of the claim');
  for (let count = 2; count <= schedule.pausesSeconds.length + 1; count += 1) {
    clock.advance(leaseMs);
    await waitUntil('it is tried again', () => failures() === count);
  }

  await setServices('[]', 'no JSON');
  receiver.answer = () => ({ status: 500 });
  clock.advance(leaseMs);
  await waitUntil('it is sent', () => receiver.received.length === 3);
  await waitUntil('the attempt is recorded', async () => {
    const found = (await list(id)).find((delivery) => delivery.incidentId === incidentId);
    return found?.lastAttempt?.status === 500;
  });
  const found = (await list(id)).find((delivery) => delivery.incidentId === incidentId);
  t.match(found, { state: 'pending', reason: null, attempts: 1 });
  await disableWebhook(deps, { id });
});

t.test('410 Gone parks the delivery and disables the webhook; once enabled, it continues', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  receiver.answer = () => ({ status: 410 });
  // Both are announced before the first is sent: a webhook that is disabled gets no further deliveries.
  const incidentId = await announceIncident(deps, page.id, 1);
  startTestLoop(t, deps);
  await passTimeUntil('it is parked', deps, parked(id, 1));
  const found = (await listWebhooks(deps, { pageId: page.id })).find((webhook) => webhook.id === id);
  t.equal(found?.disabledReason, 'The receiver answered 410 Gone.');
  await announceUpdate(deps, page.id, incidentId, 'No webhook gets this.');
  await waitUntil('the announcement is handled', async () => {
    return (await sql`select 1 from announcements where webhooks_queued_at is null`).count === 0;
  });
  t.equal(receiver.received.length, 1, 'no further delivery is sent');
  await t.rejects(replayWebhookDelivery(deps, { id: (await loadDeliveries(sql, id))[0]?.id ?? '' }), {
    message: /is disabled/,
  });
  await t.rejects(testWebhook(deps, { id }), { message: /is disabled/ });

  receiver.answer = () => ({ status: 204 });
  await enableWebhook(deps, { id });
  await passTimeUntil('the pending delivery is delivered', deps, delivered(id, 1));
  t.equal(receiver.received.length, 2);
  await disableWebhook(deps, { id });
});

t.test('redirects, bad certificates and private addresses fail with a reason', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/private` } });
  const tls = await startReceiver(t, { tls: true });
  const redirecting = await makeWebhook(deps, receiver.url);
  const untrusted = await makeWebhook(deps, tls.url);
  const loop = startTestLoop(t, deps);
  const attempted = async (id: string, error: string) => {
    await testWebhook(deps, { id });
    await passTimeUntil(
      'the delivery is attempted',
      deps,
      async () => (await list(id))[0]?.lastAttempt != null,
    );
    t.match((await list(id))[0], { state: 'pending', lastAttempt: { error } });
  };
  await attempted(redirecting.id, 'redirect: The receiver answered 302; redirects are not followed.');
  await attempted(untrusted.id, 'tls: The certificate or TLS was refused (DEPTH_ZERO_SELF_SIGNED_CERT).');
  await loop.stop();
  t.strictSame(new Set(receiver.received.map(({ path }) => path)), new Set(['/']));

  await disableWebhook(deps, { id: redirecting.id });
  const count = receiver.received.length;
  const refused = await makeWebhook(deps, receiver.url);
  startTestLoop(t, { ...deps, allowPrivateAddresses: false });
  await attempted(refused.id, 'address: The host leads to an address that is not public.');
  t.equal(receiver.received.length, count);
  t.strictSame(tls.received, []);
  for (const { id } of [untrusted, refused]) await disableWebhook(deps, { id });
});

t.test('a webhook whose secret was sealed with another key gets no unsigned delivery', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  startTestLoop(t, { ...deps, secretKey: 'another secret of forty characters or so' });
  await testWebhook(deps, { id });
  await waitUntil('the delivery is attempted', async () => (await list(id))[0]?.lastAttempt != null);
  t.match((await list(id))[0], { lastAttempt: { status: null, error: /^secret: .*HEARTLINE_SECRET_KEY/ } });
  t.strictSame(receiver.received, []);
  await disableWebhook(deps, { id });
});

t.test('a rotation helps at once when no key opens the secret', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const lost = sealColumn('a key that nobody has any more, sadly', 'webhook', id, 'whsec_AAAA');
  const send = async (secret: string): Promise<void> => {
    const before = receiver.received.length;
    await testWebhook(deps, { id });
    await waitUntil('it arrives', () => receiver.received.length > before);
    const { headers = {}, body = '' } = receiver.received.at(-1) ?? {};
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    t.equal(headers['webhook-signature'], new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body));
  };
  startTestLoop(t, deps);
  await sql`update webhooks set secret = ${lost} where id = ${id}`;
  const rotate = () => rotateWebhook({ ...deps, secretKey: testSecretKey }, { id });
  const { secret, previousSecretUntil } = await rotate();
  t.equal(previousSecretUntil, null);
  await send(secret);
  const until = new Date(clock.now() + hourMs);
  await sql`update webhooks set previous_secret = ${lost}, previous_secret_until = ${until} where id = ${id}`;
  await send(secret);
  await rotate();
  const resealed = await resealColumns({ sql, secretKey: testSecretKey }, () => {});
  t.equal(resealed.find(({ column }) => column === 'previous_secret')?.unreadable, 0);
  await disableWebhook(deps, { id });
});

t.test('a delivery of the schedule of a day goes on under this one', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  receiver.answer = () => ({ status: 500 });
  await announceIncident(deps, page.id);
  const loop = startTestLoop(t, deps);
  await waitUntil('it is queued', async () => (await loadDeliveries(sql, id)).length === 1);
  await waitUntil('it fails', async () => (await list(id))[0]?.lastAttempt != null);
  // The last attempt of that schedule is due: seven have failed.
  await sql`
    update webhook_deliveries set attempts = 7, next_attempt_at = ${new Date(clock.now())} where webhook_id = ${id}`;
  await waitUntil('the eighth fails', async () => (await list(id))[0]?.attempts === 8);
  await waitUntil('the ninth waits for 20 hours', async () => {
    const [delivery] = await list(id);
    const hours = ((delivery?.nextAttemptAt?.getTime() ?? 0) - clock.now()) / hourMs;
    return delivery?.state === 'pending' && hours >= 20 && hours <= 22;
  });
  await passTimeUntil('it is parked', deps, parked(id, 1));
  t.match((await list(id))[0], { attempts: 10 });
  await loop.stop();
  await disableWebhook(deps, { id });
});

t.test(
  'a receiver that is busy says when the next attempt is made, within an hour of the schedule',
  async (t) => {
    const receiver = await startReceiver(t);
    const { id } = await makeWebhook(deps, receiver.url);
    const dateIn = (seconds: number) => new Date(clock.now() + seconds * secondMs).toUTCString();
    // The first pause is 5 to 5.5 s.
    const cases: [status: number, header: string, fromSeconds: number, toSeconds: number][] = [
      [429, '120', 120, 120],
      [503, '120', 120, 120],
      [503, dateIn(600), 599, 600],
      [429, '1', 5, 5.5],
      [429, dateIn(-600), 5, 5.5],
      [503, '86400', 3_605, 3_605.5],
      [429, 'soon', 5, 5.5],
      [500, '120', 5, 5.5],
    ];
    const loop = startTestLoop(t, deps);
    for (const [status, header, fromSeconds, toSeconds] of cases) {
      receiver.answer = () => ({ status, headers: { 'retry-after': header } });
      const { deliveryId } = await testWebhook(deps, { id });
      const find = async () => (await list(id)).find((delivery) => delivery.id === deliveryId);
      await waitUntil('it is attempted', async () => (await find())?.lastAttempt != null);
      const seconds = (((await find())?.nextAttemptAt?.getTime() ?? 0) - clock.now()) / secondMs;
      t.ok(seconds >= fromSeconds && seconds <= toSeconds, `${status}, ${header}: ${seconds} s`);
    }
    await loop.stop();
    await disableWebhook(deps, { id });
  },
);

t.test('an attempt ends after 20 s without an answer, and within its lease', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => 'hang';
  const { id } = await makeWebhook(deps, receiver.url);
  let endAttempt: (() => void) | undefined;
  const watched = new Proxy(globalThis.setTimeout, {
    apply(target, self, args) {
      if (args[1] === 20_000) endAttempt = args[0];
      return Reflect.apply(target, self, args);
    },
  });
  t.intercept(globalThis, 'setTimeout', { value: watched });
  startTestLoop(t, deps);
  await testWebhook(deps, { id });
  await waitUntil('the request has arrived', () => receiver.received.length === 1);
  t.type(endAttempt, 'function', 'a timer of 20 s runs');
  endAttempt?.();
  await waitUntil('the attempt has ended', async () => (await list(id))[0]?.lastAttempt != null);
  t.match((await list(id))[0], {
    lastAttempt: { status: null, error: 'timeout: No answer within 20 s.' },
  });
  t.ok(leaseMs >= startWithinMs + attemptTimeoutMs + clocksDifferMsMax, 'it ends within its lease');
  await disableWebhook(deps, { id });
});

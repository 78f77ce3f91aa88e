import { Webhook } from 'standardwebhooks';
import t from 'tap';
import type { LedgerEntry } from '../../../contract/incidents.js';
import {
  createIncident,
  createIncidentIn,
  loadLedger,
  parseNewIncident,
} from '../../../control/incidents/index.js';
import { disableWebhook, rotateWebhook, testWebhook } from '../../../control/webhooks/index.js';
import { dayMs, secondMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { type Received, startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import {
  announceIncident,
  countDeliveries,
  loadDeliveries,
  makeWebhook,
  startTestLoop,
} from '../../support/webhooks.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const page = await makePage(sql);
await makePage(sql, { slug: 'other' });

const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };

const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers);
const signatures = ({ headers }: Received) => (headers['webhook-signature'] ?? '').split(' ');
/** Returns the signature of a request by this secret. verify() also checks the time. */
const expected = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).sign(
    headers['webhook-id'] ?? '',
    new Date(Number(headers['webhook-timestamp']) * 1000),
    body,
  );

t.test('a change arrives once, signed as the Standard Webhooks specification says', async (t) => {
  const receiver = await startReceiver(t);
  const { id, secret } = await makeWebhook(deps, `${receiver.url}/hooks?for=acme`);
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  startTestLoop(t, deps);
  const incidentId = await announceIncident(deps, page.id);
  await waitUntil('it is delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 1);

  const [request] = receiver.received;
  if (request === undefined) throw new Error('Nothing arrived.');
  t.equal(receiver.received.length, 1);
  t.equal(request.path, '/hooks?for=acme');
  const [delivery] = await loadDeliveries(sql, id);
  t.match(request.headers, {
    'content-type': 'application/json',
    'user-agent': 'Heartline',
    'webhook-id': delivery?.id,
  });
  const body = verify(secret, request) as { type: string; timestamp: string; data: LedgerEntry };
  t.strictSame(Object.keys(body), ['type', 'timestamp', 'data']);
  t.equal(body.type, 'incident.created');
  const [announcement] = await sql<{ created_at: Date }[]>`
    select created_at from announcements where incident_id = ${incidentId}`;
  t.equal(body.timestamp, announcement?.created_at.toISOString());
  const entry = (await loadLedger(deps, page.id)).find(({ id }) => id === incidentId);
  t.same(body.data, entry, 'the body shows the incident as the ledger does');
  await disableWebhook(deps, { id });

  await t.test('a request that was changed does not verify', async (t) => {
    const { headers } = request;
    const bad: Received[] = [
      { ...request, body: request.body.replace('Database', 'Datacase') },
      { ...request, headers: { ...headers, 'webhook-id': `${headers['webhook-id']}0` } },
      {
        ...request,
        headers: { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` },
      },
      { ...request, headers: { ...headers, 'webhook-signature': 'v1,AAAA' } },
    ];
    for (const one of bad) t.throws(() => verify(secret, one));
    t.throws(
      () => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, request),
      'nor with another secret',
    );
  });
});

t.test('only the enabled webhooks that the page had at the time get a change', async (t) => {
  const receiver = await startReceiver(t);
  const enabled = await makeWebhook(deps, `${receiver.url}/enabled`);
  await makeWebhook(deps, `${receiver.url}/other`, 'other');
  const disabled = await makeWebhook(deps, `${receiver.url}/disabled`);
  await disableWebhook(deps, { id: disabled.id });
  await announceIncident(deps, page.id);
  clock.advance(1_000);
  const later = await makeWebhook(deps, `${receiver.url}/later`);
  startTestLoop(t, deps);
  await waitUntil('it is delivered', async () => (await countDeliveries(sql, enabled.id, 'delivered')) === 1);
  t.strictSame(
    receiver.received.map(({ path }) => path),
    ['/enabled'],
  );
  const others = await sql`select 1 from webhook_deliveries where state = 'pending'`;
  t.equal(others.count, 0);
  for (const { id } of [enabled, later]) await disableWebhook(deps, { id });
});

t.test('a change that is rolled back sends nothing', async (t) => {
  const receiver = await startReceiver(t);
  const { id, secret } = await makeWebhook(deps, receiver.url);
  startTestLoop(t, deps);
  const incidentId = await announceIncident(deps, page.id);
  const rolledBack = inTransaction(sql, async (tx) => {
    await createIncidentIn(tx, {
      pageId: page.id,
      input: parseNewIncident(outage),
      now: clock.now(),
      by: testActor,
    });
    throw new Error('The change failed.');
  });
  await t.rejects(rolledBack, { message: 'The change failed.' });
  const { id: next } = await createIncident(deps, { pageId: page.id, input: parseNewIncident(outage) });
  await waitUntil('the next is delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 2);
  const bodies = receiver.received.map((request) => verify(secret, request) as { data: LedgerEntry });
  t.strictSame(new Set(bodies.map(({ data }) => data.id)), new Set([incidentId, next]));
  await disableWebhook(deps, { id });
});

t.test('after a rotation both secrets sign for a day, then only the new one', async (t) => {
  const receiver = await startReceiver(t);
  const { id, secret: before } = await makeWebhook(deps, receiver.url);
  startTestLoop(t, deps);
  const send = async (): Promise<Received> => {
    const count = receiver.received.length;
    await testWebhook(deps, { id });
    await waitUntil('it arrives', () => receiver.received.length > count);
    const request = receiver.received.at(-1);
    if (request === undefined) throw new Error('Nothing arrived.');
    return request;
  };
  const first = await send();
  t.strictSame(signatures(first), [expected(before, first)]);
  t.match(JSON.parse(first.body), { type: 'webhook.test', data: { webhookId: id } });

  const { secret: after } = await rotateWebhook({ ...deps, secretKey: testSecretKey }, { id });
  const overlapping = await send();
  t.strictSame(signatures(overlapping), [expected(after, overlapping), expected(before, overlapping)]);
  for (const secret of [before, after]) t.ok(verify(secret, overlapping));

  clock.advance(dayMs + secondMs);
  const last = await send();
  t.strictSame(signatures(last), [expected(after, last)]);
  await disableWebhook(deps, { id });
});

t.test('two instances deliver each change once, and each incident in order', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const pool = openPostgres(databaseUrl, { max: 3 });
  startTestLoop(t, deps);
  startTestLoop(t, { sql: pool, clock });
  t.teardown(() => pool.end({ timeout: 5 }));
  await Promise.all(Array.from({ length: 12 }, () => announceIncident(deps, page.id, 4)));
  await waitUntil('all are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 60);
  t.equal(receiver.received.length, 60);
  const updatesSeen = new Map<string, number[]>();
  for (const { body } of receiver.received) {
    const { data }: { data: LedgerEntry } = JSON.parse(body);
    updatesSeen.set(data.id, [...(updatesSeen.get(data.id) ?? []), data.updates.length]);
  }
  t.strictSame([...updatesSeen.values()], Array(12).fill([0, 1, 2, 3, 4]));
});

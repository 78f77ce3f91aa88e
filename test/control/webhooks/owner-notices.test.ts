import t, { type Test } from 'tap';
import type { WebhookNotice } from '../../../contract/webhooks.js';
import { claimDue, nextOf, type QueueNotice } from '../../../control/delivery/index.js';
import { queueOwnerNotice } from '../../../control/subscribers/index.js';
import {
  changeWebhook,
  disableWebhook,
  enableWebhook,
  testWebhook,
} from '../../../control/webhooks/index.js';
import { type ClaimedDelivery, deliveryQueue } from '../../../control/webhooks/queue.js';
import { recordAttempt } from '../../../control/webhooks/record-attempt.js';
import type { DeliveryOutcome } from '../../../control/webhooks/send-delivery.js';
import { type DeliveryId, newId, type PageId } from '../../../lib/ids.js';
import { dayMs, hourMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { setUpMail } from '../../support/mail-setup.js';
import { makePage, setPage } from '../../support/pages.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { makeRoom } from '../../support/room.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';
import { countDeliveries, makeWebhook, startTestLoop } from '../../support/webhooks.js';

const mail = await setUpMail(t, { languages: ['en', 'de'] });
const { sql, clock, page } = mail;
const deps = { sql, clock, by: testActor };
const sink = await startSmtpSink(t);
mail.startLoop(t, { smtpUrl: `${sink.url}?from=status@example.com`, pollMs: 10 });
await setPage(deps, { slug: page.slug, ownerEmails: ['Ann@Example.com', 'bob@example.com'] });
await makePage(sql, { slug: 'other', ownerEmails: ['eve@example.com'] });

const startLoop = (t: Test, options: Parameters<typeof startTestLoop>[1] = deps) =>
  startTestLoop(t, { queueNotice: queueOwnerNotice, pollMs: 10, ...options });

/** Makes a webhook whose receiver answers with this status. */
async function makeFailing(t: Test, status: number, slug = page.slug) {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status, body: 'S3CRET' });
  const { id } = await makeWebhook(deps, `${receiver.url}/services/T0KEN?key=T0KEN`, slug);
  t.teardown(() => disableWebhook(deps, { id }));
  return { id, receiver };
}

/** Queues a delivery whose next attempt is the last one. */
async function failLast(id: string): Promise<void> {
  const now = new Date(clock.now());
  const deliveryId = newId<DeliveryId>(now.getTime());
  await sql`
    insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, attempts, next_attempt_at, created_at)
    select ${deliveryId}, page_id, id, ${deliveryId}, 'webhook.test', '{}', 9, ${now}, ${now}
    from webhooks where id = ${id}`;
}

/** Has a delivery parked by the loop. */
async function park(id: string): Promise<void> {
  const before = await countDeliveries(sql, id, 'parked');
  await failLast(id);
  await waitUntil('it is parked', async () => (await countDeliveries(sql, id, 'parked')) === before + 1);
}

const claim = (free: number) =>
  claimDue<ClaimedDelivery>(sql, deliveryQueue, { room: makeRoom({ free, perKey: 4 }), now: clock.now() });

/** Records an attempt, with emails to the owners. */
function record(delivery: ClaimedDelivery, outcome: Omit<DeliveryOutcome, 'at' | 'durationMs' | 'answer'>) {
  const now = clock.now();
  const whole = { ...outcome, at: now, durationMs: 1, answer: '' };
  const next = nextOf(deliveryQueue, delivery, whole, now);
  return recordAttempt({ sql, queueNotice: queueOwnerNotice }, delivery, { outcome: whole, next, now });
}

const noticesOf = async (webhookId: string) => [
  ...(await sql<{ recipient: string; what: string; parked: number }[]>`
    select recipient, notice->>'what' as what, (notice->>'parked')::int as parked from emails
    where kind = 'notice' and notice->>'webhookId' = ${webhookId} order by created_at, what desc, recipient`),
];
const hostOf = ({ url }: Receiver) => new URL(url).host;

t.test('each owner gets one email that says what was parked, why, and how to send it again', async (t) => {
  const { id, receiver } = await makeFailing(t, 503);
  const loop = startLoop(t);
  await park(id);
  for (const address of ['ann@example.com', 'bob@example.com']) {
    await waitUntil('the email arrives', () => sink.to(address).length === 1);
    const [message] = sink.to(address);
    t.equal(message?.subject, `[Acme] A delivery was parked: ${hostOf(receiver)}`);
    t.match(message?.from?.value, [{ name: 'Acme', address: 'status@example.com' }]);
    t.equal(message?.headers.get('auto-submitted'), 'auto-generated');
    for (const text of [message?.text ?? '', String(message?.html)]) {
      for (const part of [`${receiver.url}/…`, 'Attempts: 10', 'HTTP 503 (', 'Parked deliveries: '])
        t.ok(text.replaceAll(/<[^>]*>/g, '').includes(part), part);
      t.ok(text.includes(`heartline webhook deliveries ${id} --state parked`));
      t.ok(text.includes('heartline webhook replay DELIVERY_ID'));
      t.notMatch(text, /T0KEN|S3CRET|services/);
    }
  }
  t.strictSame(sink.to('eve@example.com'), [], 'the owner of another page gets nothing');
  await loop.stop();
});

t.test('a receiver that keeps failing causes one email a day', async (t) => {
  const { id } = await makeFailing(t, 500);
  const loop = startLoop(t);
  for (let i = 0; i < 3; i += 1) await park(id);
  t.match(await noticesOf(id), [{ parked: 1 }, { parked: 1 }], 'to two owners');
  clock.advance(dayMs - hourMs);
  await park(id);
  t.equal((await noticesOf(id)).length, 2);
  clock.advance(hourMs);
  await park(id);
  t.match((await noticesOf(id)).slice(2), [{ parked: 5 }, { parked: 5 }], 'the next counts all');
  await loop.stop();
});

t.test('410 Gone sends an email at once, even on a day that had another one, and once a day', async (t) => {
  const { id, receiver } = await makeFailing(t, 500);
  const loop = startLoop(t);
  await park(id);
  receiver.answer = () => ({ status: 410 });
  await testWebhook(deps, { id });
  await waitUntil('it is disabled', async () => (await countDeliveries(sql, id, 'parked')) === 2);
  t.match(
    (await noticesOf(id)).map(({ what }) => what),
    ['parked', 'parked', 'disabled', 'disabled'],
  );
  const subject = `[Acme] The webhook was disabled: ${hostOf(receiver)}`;
  const find = () => sink.to('ann@example.com').find((one) => one.subject === subject);
  await waitUntil('the email arrives', () => find() !== undefined);
  const message = find();
  t.match(message?.text, `heartline webhook enable ${id}\n`);
  t.match(message?.text, 'HTTP 410 (');
  await enableWebhook(deps, { id });
  await testWebhook(deps, { id });
  await waitUntil('it is disabled again', async () => (await countDeliveries(sql, id, 'parked')) === 3);
  t.equal((await noticesOf(id)).length, 6, 'its owners get an email again');
  await loop.stop();
});

t.test('the email of a page is in its default language', async (t) => {
  await makePage(sql, {
    slug: 'deutsch',
    name: 'Beispiel',
    languages: ['de', 'en'],
    ownerEmails: ['uwe@example.com'],
  });
  const { id, receiver } = await makeFailing(t, 503, 'deutsch');
  const loop = startLoop(t);
  await park(id);
  await waitUntil('the email arrives', () => sink.to('uwe@example.com').length === 1);
  const [message] = sink.to('uwe@example.com');
  t.equal(message?.subject, `[Beispiel] Eine Zustellung wurde aufgegeben: ${hostOf(receiver)}`);
  t.match(message?.html, /<html lang="de">/);
  await loop.stop();
});

t.test('the state of a delivery and the emails about it are one transaction', async (t) => {
  const { id } = await makeFailing(t, 503);
  const { log, text } = captureLog();
  const failing: QueueNotice<WebhookNotice> = async (tx, queued) => {
    await queueOwnerNotice(tx, queued);
    throw new Error('Cut short.');
  };
  const loop = startLoop(t, { ...deps, log, queueNotice: failing });
  await failLast(id);
  await waitUntil('it cannot be recorded', () => text().includes('could not be sent or recorded'));
  await loop.stop();
  t.equal(await countDeliveries(sql, id, 'pending'), 1);
  t.equal(
    (
      await sql`select 1 from webhook_attempts a join webhook_deliveries d on d.id = delivery_id
    where webhook_id = ${id}`
    ).count,
    0,
  );
  t.strictSame(await noticesOf(id), []);
});

t.test('deliveries that are parked at the same time cause one email', async (t) => {
  const { id } = await makeFailing(t, 503);
  for (let i = 0; i < 4; i += 1) await failLast(id);
  const claimed = await claim(32);
  t.equal(claimed.length, 4);
  const outcome = { status: 503, error: 'status: 503', mayRepeat: true };
  const [first] = claimed;
  if (first === undefined) throw new Error('Four are claimed.');
  const late = await record({ ...first, attempts: 99 }, outcome);
  t.notOk(late.told, 'an attempt whose claim is over tells nobody');
  const recorded = await Promise.all(claimed.map((delivery) => record(delivery, outcome)));
  t.equal(recorded.filter(({ told }) => told).length, 1);
  t.equal((await noticesOf(id)).length, 2);
});

t.test(
  'without an owner nothing is queued; one that is added gets an email about the next delivery',
  async (t) => {
    await makePage(sql, { slug: 'ownerless' });
    const { id } = await makeFailing(t, 503, 'ownerless');
    const loop = startLoop(t);
    await park(id);
    t.strictSame(await noticesOf(id), []);
    await setPage(deps, { slug: 'ownerless', ownerEmails: ['new@example.com'] });
    await park(id);
    t.match(await noticesOf(id), [{ recipient: 'new@example.com', parked: 2 }]);
    await loop.stop();
  },
);

t.test('an owner who is removed before the email is sent does not get it', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'moved', ownerEmails: ['ann-left@example.com'] });
  const notice: WebhookNotice = {
    ...{
      what: 'parked' as const,
      webhookId: 'x',
      origin: 'https://hooks.example.com',
      attempts: 10,
      parked: 1,
    },
    lastAttempt: { at: new Date(clock.now()).toISOString(), status: 503, error: 'status: 503' },
  };
  await inTransaction(sql, async (tx) => {
    await queueOwnerNotice(tx, { pageId, notice, now: clock.now() });
    await tx`update pages set owner_emails = '{}' where id = ${pageId}`;
  });
  await mail.settled();
  t.strictSame(sink.to('ann-left@example.com'), []);
  const [refused] = await sql`select state, reason from emails where recipient = 'ann-left@example.com'`;
  t.same(refused, { state: 'parked', reason: 'the address is no longer an owner of the page' });
});

t.test('the email names the receiver that failed, and says that a webhook is disabled', async (t) => {
  const { id, receiver } = await makeFailing(t, 503);
  await failLast(id);
  const [delivery] = await claim(1);
  if (delivery === undefined) throw new Error('One is due.');
  await changeWebhook(deps, { id, url: 'https://new.example.com/hook' });
  await disableWebhook(deps, { id });
  await record(delivery, { status: 410, error: 'status: 410', mayRepeat: false });
  t.match(await noticesOf(id), [{ what: 'disabled' }, { what: 'disabled' }]);
  const [{ origin }] = await sql<[{ origin: string }]>`
    select notice->>'origin' as origin from emails where notice->>'webhookId' = ${id}`;
  t.equal(origin, new URL(receiver.url).origin);
});

t.test('without a mail server the log says it, and nothing is queued', async (t) => {
  const { id, receiver } = await makeFailing(t, 503);
  const { log, entries } = captureLog();
  const loop = startTestLoop(t, { ...deps, log, pollMs: 10 });
  await park(id);
  receiver.answer = () => ({ status: 410 });
  await testWebhook(deps, { id });
  const logged = (msg: RegExp) =>
    entries().some((entry) => entry['webhookId'] === id && msg.test(String(entry['msg'])));
  await waitUntil('both are logged', () => logged(/delivery was parked/) && logged(/webhook was disabled/));
  t.strictSame(await noticesOf(id), []);
  t.notMatch(JSON.stringify(entries()), /T0KEN|S3CRET/);
  await loop.stop();
});

t.test(
  'an owner who unsubscribed from the page gets an email, one whose address bounced does not',
  async (t) => {
    const { id: pageId } = await makePage(sql, {
      slug: 'suppressed',
      ownerEmails: ['gone@example.com', 'bounced@example.com'],
    });
    await suppress(pageId, 'gone@example.com', 'unsubscribed');
    await suppress(pageId, 'bounced@example.com', 'bounced');
    const { id } = await makeFailing(t, 503, 'suppressed');
    const loop = startLoop(t);
    await park(id);
    await waitUntil('the email arrives', () => sink.to('gone@example.com').length === 1);
    await mail.settled();
    t.strictSame(sink.to('bounced@example.com'), []);
    const [refused] = await sql`select state, reason from emails where recipient = 'bounced@example.com'`;
    t.same(refused, { state: 'parked', reason: 'the address has bounced' });
    await loop.stop();
  },
);

function suppress(pageId: PageId, email: string, reason: string) {
  return sql`insert into suppressions (page_id, email, reason, created_at) values (${pageId}, ${email}, ${reason}, now())`;
}

import t, { type Test } from 'tap';
import type { ChannelNotice } from '../../../contract/channels.js';
import { lockTold, queueMessage, type StoredMessage, testChannel } from '../../../control/channels/index.js';
import { type ClaimedMessage, messageQueue } from '../../../control/channels/queue.js';
import { recordAttempt } from '../../../control/channels/record-attempt.js';
import { claimDue, nextOf, type QueueNotice } from '../../../control/delivery/index.js';
import { queueOwnerNotice } from '../../../control/subscribers/index.js';
import type { PageId } from '../../../lib/ids.js';
import { dayMs, hourMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { loadMessages, makeChannel, startTestChannelLoop } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { setUpMail } from '../../support/mail-setup.js';
import { makePage, setPage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { makeRoom } from '../../support/room.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';

const mail = await setUpMail(t, { languages: ['en', 'de'] });
const { sql, clock, page } = mail;
const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
const sink = await startSmtpSink(t);
mail.startLoop(t, { smtpUrl: `${sink.url}?from=status@example.com`, pollMs: 10 });
await setPage(deps, { slug: page.slug, ownerEmails: ['ann@example.com', 'bob@example.com'] });
await makePage(sql, { slug: 'other', ownerEmails: ['eve@example.com'] });

const startLoop = (t: Test, options: Partial<Parameters<typeof startTestChannelLoop>[1]> = {}) =>
  startTestChannelLoop(t, { ...deps, queueNotice: queueOwnerNotice, ...options });

/** Makes the only channel of a page, whose provider refuses every message for good. */
async function makeFailing(t: Test, pageId: PageId = page.id) {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 404, body: 'no_service at /services/T0KEN' });
  const channel = await makeChannel(deps, pageId, {
    kind: 'slack',
    settings: { url: `${receiver.url}/services/T0KEN` },
  });
  t.teardown(() => sql`delete from channels where id = ${channel.id}`);
  return { id: channel.id, receiver };
}

const report = (title: string, pageId: PageId = page.id) =>
  inTransaction(sql, async (tx) => {
    const now = clock.now();
    const message: StoredMessage = {
      ...{ event: 'monitor.down', phase: 'begin', severity: 'critical', screen: 'monitors' },
      ...{
        key: title,
        title,
        text: 'The connection was refused.',
        facts: [],
        at: new Date(now).toISOString(),
      },
    };
    await queueMessage(tx, await lockTold(tx, pageId, 'monitor'), { pageId, alarmId: null, message, now });
  });
const parkedOf = async (id: string) =>
  (await loadMessages(sql, id)).filter(({ state }) => state === 'parked').length;

/** Has a message given up by the loop. */
async function giveUp(id: string, title: string, pageId: PageId = page.id): Promise<void> {
  const before = await parkedOf(id);
  await report(title, pageId);
  await waitUntil('it is given up', async () => (await parkedOf(id)) === before + 1);
}

const queue = messageQueue('team');

async function claimOne(): Promise<ClaimedMessage> {
  const claim = { room: makeRoom({ free: 1, perKey: 1 }), now: clock.now() };
  const [claimed] = await claimDue<ClaimedMessage>(sql, queue, claim);
  if (claimed === undefined) throw new Error('One is due.');
  return claimed;
}

/** Records that the provider refused a message, with emails to the owners when it did so for good. */
function recordRefusal(claimed: ClaimedMessage, status = 404) {
  const outcome = { status, error: `refused: ${status}.`, mayRepeat: status !== 404 };
  const now = clock.now();
  const next = nextOf(queue, claimed, outcome, now);
  return recordAttempt({ sql, queueNotice: queueOwnerNotice }, claimed, { outcome, next, now });
}

const noticesOf = async (id: string) => [
  ...(await sql<{ recipient: string; message: string }[]>`
    select recipient, notice->>'message' as message from emails
    where kind = 'notice' and notice->>'channelId' = ${id} order by created_at, recipient`),
];

t.test('each owner gets one email that says which channel, what was given up, and why', async (t) => {
  const { id, receiver } = await makeFailing(t);
  const loop = startLoop(t);
  await giveUp(id, 'API is down');
  for (const address of ['ann@example.com', 'bob@example.com']) {
    await waitUntil('the email arrives', () => sink.to(address).length === 1);
    const [message] = sink.to(address);
    t.equal(message?.subject, '[Acme] A channel did not take a message: slack');
    for (const text of [message?.text ?? '', String(message?.html).replaceAll(/<[^>]*>/g, '')]) {
      const host = new URL(receiver.url).host;
      for (const part of [
        'slack (Slack)',
        host,
        'API is down',
        'HTTP 404: “no_service at …” (',
        'Attempts: 1',
      ])
        t.ok(text.includes(part), part);
      t.ok(text.includes(`heartline channel test ${id}`));
      t.ok(text.includes(`heartline channel messages ${id}`));
      t.notMatch(text, /T0KEN|services/);
    }
  }
  t.strictSame(sink.to('eve@example.com'), [], 'the owner of another page gets nothing');
  await loop.stop();
});

t.test('a channel that keeps failing causes one email a day', async (t) => {
  const { id } = await makeFailing(t);
  const loop = startLoop(t);
  await giveUp(id, 'A');
  await giveUp(id, 'B');
  clock.advance(dayMs - hourMs);
  await giveUp(id, 'C');
  t.strictSame(
    (await noticesOf(id)).map(({ message }) => message),
    ['A', 'A'],
    'to two owners',
  );
  clock.advance(hourMs);
  await giveUp(id, 'D');
  t.strictSame(
    (await noticesOf(id)).map(({ message }) => message),
    ['A', 'A', 'D', 'D'],
  );
  await loop.stop();
});

t.test('a test and the chat of a reader cause none', async (t) => {
  const { id } = await makeFailing(t);
  const loop = startLoop(t);
  await testChannel(deps, { id });
  await waitUntil('it is given up', async () => (await parkedOf(id)) === 1);
  t.strictSame(await noticesOf(id), []);
  await loop.stop();
  await report('API is down');
  const [{ subscriberId }] = await sql<[{ subscriberId: never }]>`select gen_random_uuid() as "subscriberId"`;
  const recorded = await recordRefusal({ ...(await claimOne()), subscriberId });
  t.strictSame(recorded, { parked: true, told: false });
});

t.test('what becomes of a message and the emails about it are one transaction', async (t) => {
  const { id } = await makeFailing(t);
  const { log, text } = captureLog();
  const failing: QueueNotice<ChannelNotice> = async (tx, queued) => {
    await queueOwnerNotice(tx, queued);
    throw new Error('Cut short.');
  };
  const loop = startLoop(t, { log, queueNotice: failing });
  await report('API is down');
  await waitUntil('it cannot be recorded', () => text().includes('could not be sent or recorded'));
  await loop.stop();
  t.equal(await parkedOf(id), 0);
  t.strictSame(await noticesOf(id), []);
});

t.test('when a message is repeated and when those behind it are due is one transaction', async (t) => {
  await makeFailing(t);
  await report('first');
  await report('second');
  const claimed = await claimOne();
  const now = new Date(clock.now()).toISOString();
  await sql.unsafe(`alter table channel_messages
    add constraint behind check (seq <= ${claimed.seq} or next_attempt_at <= '${now}') not valid`);
  await t.rejects(recordRefusal(claimed, 503), { code: '23514' });
  await sql`alter table channel_messages drop constraint behind`;
  const [row] = await sql`select claimed_until, reason from channel_messages where id = ${claimed.id}`;
  t.match(row, { claimed_until: Date, reason: null }, 'the attempt is repeated when its claim lapses');
});

t.test('an attempt whose claim is over tells nobody', async (t) => {
  const { id } = await makeFailing(t);
  await report('API is down');
  const claimed = await claimOne();
  const late = await recordRefusal({ ...claimed, attempts: 99 });
  t.notOk(late.told);
  t.strictSame(await noticesOf(id), []);
  const both = await Promise.all([1, 2].map(() => recordRefusal(claimed)));
  t.equal(both.filter(({ told }) => told).length, 1);
  t.equal((await noticesOf(id)).length, 2, 'to two owners');
});

t.test('without an owner nothing is queued; one that is added hears of the next', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'ownerless' });
  const { id } = await makeFailing(t, pageId);
  const loop = startLoop(t);
  await giveUp(id, 'A', pageId);
  t.strictSame(await noticesOf(id), []);
  await setPage(deps, { slug: 'ownerless', ownerEmails: ['new@example.com'] });
  await giveUp(id, 'B', pageId);
  t.strictSame(await noticesOf(id), [{ recipient: 'new@example.com', message: 'B' }]);
  await loop.stop();
});

t.test('the email of a page is in its default language', async (t) => {
  const german = {
    slug: 'deutsch',
    name: 'Beispiel',
    languages: ['de', 'en'],
    ownerEmails: ['uwe@example.com'],
  };
  const { id: pageId } = await makePage(sql, german);
  const { id } = await makeFailing(t, pageId);
  const loop = startLoop(t);
  await giveUp(id, 'API is down', pageId);
  await waitUntil('the email arrives', () => sink.to('uwe@example.com').length === 1);
  const [message] = sink.to('uwe@example.com');
  t.equal(message?.subject, '[Beispiel] Ein Kanal hat eine Nachricht nicht angenommen: slack');
  t.match(message?.text, /^Kanal: slack \(Slack\)$/m);
  await loop.stop();
});

t.test('the name of a channel and the title of a message are text', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'hostile', ownerEmails: ['zoe@example.com'] });
  const { id } = await makeFailing(t, pageId);
  await sql`update channels set name = ${'Ops\r\nBcc: eve@example.com\r\n\r\n<img src=x>'} where id = ${id}`;
  const loop = startLoop(t);
  await giveUp(id, '<script>alert(1)</script>', pageId);
  await waitUntil('the email arrives', () => sink.to('zoe@example.com').length === 1);
  const [message] = sink.to('zoe@example.com');
  t.equal(message?.headers.get('bcc'), undefined);
  t.notMatch(message?.html, /<script|<img src=x/);
  t.match(message?.html, '&lt;script');
  t.strictSame(sink.to('eve@example.com'), []);
  await loop.stop();
});

t.test('without a mail server the log says it, and nothing is queued', async (t) => {
  const { id } = await makeFailing(t);
  const { log, text } = captureLog();
  const loop = startTestChannelLoop(t, { ...deps, log });
  await giveUp(id, 'API is down');
  await waitUntil('it is logged', () => text().includes('A message to a channel was parked.'));
  t.strictSame(await noticesOf(id), []);
  await loop.stop();
});

import t, { type Test } from 'tap';
import { testChannel } from '../../../control/channels/index.js';
import type { PageId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel, startTestChannelLoop } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { setUpMail } from '../../support/mail-setup.js';
import { makePage } from '../../support/pages.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { waitUntil } from '../../support/wait-until.js';

const mail = await setUpMail(t);
const { sql, clock, page } = mail;
const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
const other = await makePage(sql, { slug: 'other' });
const quick = await startReceiver(t);

/** Starts receivers that never answer. Four of them, each with the most attempts of a host, would take a whole pool. */
async function startHanging(t: Test, count: number): Promise<Receiver[]> {
  const receivers = [];
  for (let at = 0; at < count; at += 1) {
    const receiver = await startReceiver(t);
    receiver.answer = () => 'hang';
    receivers.push(receiver);
  }
  return receivers;
}

const startLoop = (t: Test) => startTestChannelLoop(t, { sql, clock, timeoutMs: minuteMs });
const receivedOf = (receivers: Receiver[]) => receivers.reduce((sum, one) => sum + one.received.length, 0);

/** Waits until the team of a page has a message, while those before it get no answer. */
async function tellTeam(pageId: PageId): Promise<void> {
  const { id } = await makeChannel(deps, pageId, { settings: { url: quick.url } });
  await testChannel(deps, { id });
  await waitUntil('the team has its message', async () =>
    (await loadMessages(sql, id)).every(({ state }) => state === 'delivered'),
  );
}

t.test('chats of readers that hang take no room from what a team gets', async (t) => {
  const hanging = await startHanging(t, 5);
  for (let at = 0; at < 80; at += 1) {
    const url = `${hanging[at % hanging.length]?.url}/${at}`;
    const { status } = await mail.signUp(
      { chat: { kind: 'slack', url } },
      { 'x-forwarded-for': `198.51.100.${at}` },
    );
    if (status !== 202) throw new Error(`A sign-up is answered with ${status}.`);
  }
  startLoop(t);
  await waitUntil('some of them hang', () => receivedOf(hanging) === 4);
  await tellTeam(other.id);
  await tellTeam(page.id);
  t.equal(receivedOf(hanging), 4, 'a page has four attempts at readers at a time');
});

t.test('channels of one page that hang take no room from another page', async (t) => {
  await sql`delete from channel_messages`;
  const hanging = await startHanging(t, 5);
  for (let at = 0; at < 20; at += 1) {
    const url = `${hanging[at % hanging.length]?.url}/${at}`;
    await testChannel(deps, { id: (await makeChannel(deps, page.id, { settings: { url } })).id });
  }
  startLoop(t);
  await waitUntil('some of them hang', () => receivedOf(hanging) === 12);
  await tellTeam(other.id);
  t.equal(receivedOf(hanging), 12, 'a page has twelve attempts at a time');
  t.same(
    new Set(hanging.map(({ received }) => received.length > 1)),
    new Set([true]),
    'its receivers take turns',
  );
});

import { Webhook } from 'standardwebhooks';
import t from 'tap';
import {
  type ContactWayKind,
  contactWayKinds,
  type PersonPhase,
  providerWayKinds,
} from '../../../contract/manage/contact-ways.js';
import { changeWay, queueToPerson, type WayInput } from '../../../control/contact-ways/index.js';
import { personSchedule } from '../../../control/contact-ways/queue.js';
import { hourMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { captureLog } from '../../support/capture-log.js';
import {
  gatewayToken,
  loadPersonMessages,
  makeWay,
  makeWaySender,
  startTestPersonLoop,
  wayDepsOf,
  waySettingsFor,
} from '../../support/contact-ways.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { giveRole, makeUser } from '../../support/people.js';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import { providers } from '../channels/providers.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const page = await makePage(sql, { slug: 'acme', name: 'Acme' });
const sink = await startSmtpSink(t);
let alerts = 0;

type Test = Parameters<typeof startReceiver>[0];

/** A receiver, and a sender for which it is every server. */
async function open(t: Test) {
  const receiver = await startReceiver(t);
  const sender = makeWaySender(t, { clock, url: receiver.url, smtpUrl: sink.url });
  return { receiver, sender, deps: wayDepsOf({ sql, clock }, sender) };
}

async function newPerson(
  { deps }: Pick<Awaited<ReturnType<typeof open>>, 'deps'>,
  { language, ways = [] }: { language?: string; ways?: WayInput[] } = {},
) {
  const user = await makeUser({ sql, clock });
  await giveRole({ sql, clock }, { userId: user.id, slug: 'acme', role: 'viewer' });
  if (language !== undefined) await sql`update users set language = ${language} where id = ${user.id}`;
  const owner = { userId: user.id, email: user.email, language: language ?? null };
  const made = [];
  for (const way of ways) made.push(await makeWay(deps, owner, way));
  alerts += 1;
  const alertKey = `alert-${alerts}`;
  const queue = (phase: PersonPhase, more: Partial<Parameters<typeof queueToPerson>[1]> = {}) =>
    inTransaction(sql, (tx) =>
      queueToPerson(tx, {
        ...{ pageId: page.id, userId: user.id, severity: 'page', phase, alertKey, now: clock.now() },
        message: {
          title: phase === 'end' ? 'API answers again' : 'API is down',
          text: 'The connection was refused & reset.',
          facts: [{ name: 'Failing', value: '42 %' }],
        },
        ...more,
      }),
    );
  const states = async () =>
    (await loadPersonMessages(sql, user.id)).map(({ phase, state }) => `${phase}: ${state}`);
  const untilStates = (...wanted: string[]) =>
    waitUntil(`the states are ${wanted.join(', ')}`, async () => (await states()).join() === wanted.join());
  return { ...owner, ways: made, alertKey, queue, states, untilStates };
}

const formOf = ({ body }: Received) => Object.fromEntries(new URLSearchParams(body));
const inputOf = (kind: ContactWayKind, receiver: Receiver): WayInput => ({
  ...{ kind, settings: waySettingsFor(receiver.url)[kind] },
});
const link = (key: string) => `https://heartline.example.com/manage/pages/acme/alerts/${key}`;

for (const kind of providerWayKinds) {
  t.test(`${kind}: start and end arrive, in the form that its documentation asks for`, async (t) => {
    const world = await open(t);
    const { receiver } = world;
    const refusals: string[] = [];
    receiver.answer = (request) => {
      const reply = providers[kind](request);
      if (typeof reply === 'object' && reply.status >= 300) refusals.push(`${request.path} ${reply.body}`);
      return reply;
    };
    const ada = await newPerson(world, { ways: [inputOf(kind, receiver)] });
    startTestPersonLoop(t, { sql, clock, sender: world.sender });
    await ada.queue('start');
    await ada.queue('end');
    await ada.untilStates('start: delivered', 'end: delivered');
    t.strictSame(refusals, []);
    const [start, end] = receiver.received;
    t.match(start?.body, /API is down/);
    t.match(start?.body, link(ada.alertKey));
    t.match(end?.body, /API answers again/);
  });
}

t.test('a webhook gets what happened, signed, under one key', async (t) => {
  const world = await open(t);
  const ada = await newPerson(world, { ways: [inputOf('webhook', world.receiver)] });
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await ada.queue('reminder', { step: 1 });
  await ada.queue('end');
  await ada.untilStates('start: delivered', 'reminder: delivered', 'end: delivered');
  const secret = waySettingsFor('').webhook.secret ?? '';
  const bodies = world.receiver.received.map(({ body, headers }) => {
    t.ok(new Webhook(secret.slice('whsec_'.length)).verify(body, headers));
    return JSON.parse(body);
  });
  t.match(bodies, [
    { type: 'alert.firing', data: { phase: 'begin', severity: 'critical', key: ada.alertKey } },
    { type: 'alert.reminder', data: { phase: 'begin', key: ada.alertKey } },
    { type: 'alert.resolved', data: { phase: 'end', key: ada.alertKey } },
  ]);
});

t.test('sms: the form of Twilio, at most 160 characters, and the whole link', async (t) => {
  const world = await open(t);
  world.receiver.answer = () => ({ status: 201, body: '{"sid":"SM1","status":"queued"}' });
  const ada = await newPerson(world, { ways: [inputOf('sms', world.receiver)] });
  world.receiver.received.length = 0;
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start', { message: { title: 'API is down', text: 'x '.repeat(200), facts: [] } });
  await ada.untilStates('start: delivered');
  const [request] = world.receiver.received;
  if (request === undefined) throw new Error('no request');
  t.equal(request.path, '/2010-04-01/Accounts/AC0123456789/Messages.json');
  t.equal(request.headers['content-type'], 'application/x-www-form-urlencoded');
  const basic = Buffer.from(`AC0123456789:${gatewayToken}`).toString('base64');
  t.equal(request.headers['authorization'], `Basic ${basic}`);
  const { To, From, Body = '' } = formOf(request);
  t.strictSame([To, From], ['+4930123456', '+15005550006']);
  t.ok(Body.length <= 160, Body);
  t.ok(Body.startsWith('Acme: API is down - x x') && Body.endsWith(` ${link(ada.alertKey)}`), Body);
});

t.test('voice: what is read aloud is escaped, and has no link', async (t) => {
  const world = await open(t);
  world.receiver.answer = () => ({ status: 201, body: '{"sid":"CA1"}' });
  const ada = await newPerson(world, { ways: [inputOf('voice', world.receiver)] });
  world.receiver.received.length = 0;
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await ada.untilStates('start: delivered');
  const [request] = world.receiver.received;
  if (request === undefined) throw new Error('no request');
  t.match(formOf(request), {
    To: '+4930123456',
    Twiml: '<Response><Say>Acme: API is down. The connection was refused &amp; reset.</Say></Response>',
  });
});

t.test('email: short, with the link, in the language of the person, and in one thread', async (t) => {
  const world = await open(t);
  const ada = await newPerson(world, { language: 'de' });
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await ada.queue('end');
  await ada.untilStates('start: delivered', 'end: delivered');
  const [start, end] = sink.to(ada.email);
  t.equal(start?.subject, '[Acme] API is down');
  t.equal(
    start?.text?.split('\n-- ')[0]?.trimEnd(),
    `API is down\n\nThe connection was refused & reset.\n\nFailing: 42 %\n\nAlarm öffnen:\n${link(ada.alertKey)}`,
  );
  t.match(start?.raw, /^Importance: high\r$/m);
  t.equal(end?.subject, '[Acme] API answers again');
  t.ok(start?.inReplyTo && start.inReplyTo === end?.inReplyTo, 'one thread');
  t.notMatch(end?.raw, /^Importance:/m);
});

t.test('messages of a way follow each other, and those behind a failed one wait with it', async (t) => {
  const world = await open(t);
  const { receiver } = world;
  const ada = await newPerson(world, { ways: [inputOf('webhook', receiver)] });
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '60' } });
  const loop = startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await ada.queue('reminder', { step: 1 });
  await waitUntil('the first one has failed', async () => {
    const [first] = await loadPersonMessages(sql, ada.userId);
    return first?.reason != null;
  });
  const [first, second] = await loadPersonMessages(sql, ada.userId);
  t.match(first?.reason, /^status: The provider answered 503/);
  t.ok((first?.next_attempt_at.getTime() ?? 0) >= clock.now() + 60_000, 'as late as it was asked for');
  t.same(second?.next_attempt_at, first?.next_attempt_at);
  t.equal(receiver.received.length, 1);
  receiver.answer = () => ({ status: 204 });
  clock.advance(61_000);
  loop.wake();
  await ada.untilStates('start: delivered', 'reminder: delivered');
  const types = receiver.received.map(({ body }) => JSON.parse(body).type);
  t.strictSame(types, ['alert.firing', 'alert.firing', 'alert.reminder']);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  t.equal(ids[0], ids[1], 'a repeat has the id of the first');
});

t.test('a way that is down is given up after twelve attempts, and its end is not sent', async (t) => {
  const world = await open(t);
  const ada = await newPerson(world, { ways: [inputOf('webhook', world.receiver)] });
  world.receiver.answer = () => ({ status: 500 });
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await ada.queue('end');
  await waitUntil('both are given up', async () => {
    const [head] = await sql<{ at: Date; busy: boolean }[]>`
      select next_attempt_at as at, claimed_until is not null as busy from person_messages
      where state = 'pending' order by seq limit 1`;
    if (head === undefined) return true;
    if (!head.busy) clock.advance(Math.max(0, head.at.getTime() - clock.now()));
    return false;
  });
  t.equal(world.receiver.received.length, personSchedule.pausesSeconds.length + 1);
  const [start, end] = await loadPersonMessages(sql, ada.userId);
  t.match(start, { state: 'parked', reason: /^status: / });
  t.match(end, { state: 'parked', reason: /^untold: / });
});

t.test('one way that hangs holds up neither another way nor another person', async (t) => {
  const world = await open(t);
  const [dead, well] = [await startReceiver(t), world.receiver];
  dead.answer = () => 'hang';
  const ada = await newPerson(world, { ways: [inputOf('webhook', dead), inputOf('webhook', well)] });
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await waitUntil('the other way has it', () => well.received.length === 1);
  const bob = await newPerson(world, { ways: [inputOf('webhook', well)] });
  await bob.queue('start');
  await bob.untilStates('start: delivered');
});

t.test('no log has a secret of a way or of the gateway', async (t) => {
  const { log, text } = captureLog();
  const world = await open(t);
  world.receiver.answer = ({ path, headers, body }) => ({
    status: 400,
    body: JSON.stringify({
      message: `${headers['authorization']} ${path} ${new URLSearchParams(body).get('To')} ${body}`,
    }),
  });
  const ways = contactWayKinds
    .filter((kind) => kind !== 'email')
    .map((kind) => inputOf(kind, world.receiver));
  const ada = await newPerson(world, { ways });
  startTestPersonLoop(t, { sql, clock, log, sender: world.sender });
  await ada.queue('start');
  await waitUntil('all are given up', async () =>
    (await ada.states()).every((state) => /parked/.test(state)),
  );
  const rows = await loadPersonMessages(sql, ada.userId);
  t.equal(rows.length, ways.length);
  const secrets = /AC0123456789|gateway-auth|tk_secret|ada-on-call|a{30}|u{30}|AAH-abc|whsec_|4930123456/;
  t.notMatch(JSON.stringify(rows), secrets);
  t.match(text(), /A message to a person was parked/);
  t.notMatch(text(), secrets);
});

t.test('who is disabled or loses the role is told nothing more, and no end', async (t) => {
  const world = await open(t);
  const [ada, bob] = [
    await newPerson(world, { ways: [inputOf('webhook', world.receiver)] }),
    await newPerson(world, { ways: [inputOf('webhook', world.receiver)] }),
  ];
  for (const person of [ada, bob]) await person.queue('start');
  await sql`update users set disabled_at = now() where id = ${ada.userId}`;
  await sql`delete from page_roles where user_id = ${bob.userId}`;
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  for (const person of [ada, bob]) {
    await person.untilStates('start: parked');
    t.match(await loadPersonMessages(sql, person.userId), [{ reason: /^person: / }]);
  }
  t.equal(world.receiver.received.length, 0);
});

t.test('what waits goes to the new address, and to no number that is not confirmed', async (t) => {
  const world = await open(t);
  const moved = await startReceiver(t);
  world.receiver.answer = () => ({ status: 503 });
  const ada = await newPerson(world, { ways: [inputOf('webhook', world.receiver)] });
  const loop = startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await waitUntil(
    'it has failed',
    async () => (await loadPersonMessages(sql, ada.userId))[0]?.reason != null,
  );
  const url = `${moved.url}/program`;
  await changeWay(world.deps, ada, { id: ada.ways[0]?.id ?? '', settings: { url } });
  loop.wake();
  await ada.untilStates('start: delivered');
  t.equal(moved.received.length, 1);

  world.receiver.answer = ({ path }) => ({ status: /Messages/.test(path) ? 503 : 204 });
  const bob = await newPerson(world, { ways: [inputOf('sms', world.receiver)] });
  await bob.queue('start');
  await changeWay(world.deps, bob, { id: bob.ways[0]?.id ?? '', settings: { to: '+4930999999' } });
  await waitUntil('it is given up', async () => (await bob.states()).join() === 'start: parked');
  const numbers = world.receiver.received
    .map(formOf)
    .flatMap(({ To, Body }) => (/down/.test(Body ?? '') ? [To] : []));
  t.notOk(numbers.includes('+4930999999'));
});

t.test('a group of Telegram that has moved is followed', async (t) => {
  const world = await open(t);
  world.receiver.answer = ({ body }) => {
    const { chat_id: chat } = JSON.parse(body);
    if (chat === '-1009') return { status: 200, body: '{"ok":true}' };
    const parameters = { migrate_to_chat_id: -1009 };
    return { status: 400, body: JSON.stringify({ ok: false, description: 'migrated', parameters }) };
  };
  const ada = await newPerson(world, { ways: [inputOf('telegram', world.receiver)] });
  startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start');
  await ada.untilStates('start: delivered');
  const [row] = await sql`select open_settings from contact_ways where id = ${ada.ways[0]?.id ?? ''}`;
  t.match(row, { open_settings: { chat: '-1009' } });
});

t.test('what quiet hours hold is sent at their end, in spite of what left meanwhile', async (t) => {
  const world = await open(t);
  const minute = new Date(clock.now()).getUTCHours() * 60 + new Date(clock.now()).getUTCMinutes();
  const quietHours = { fromMinute: minute, toMinute: (minute + 120) % 1440, timeZone: 'UTC' };
  const ada = await newPerson(world, { ways: [{ ...inputOf('webhook', world.receiver), quietHours }] });
  const loop = startTestPersonLoop(t, { sql, clock, sender: world.sender });
  await ada.queue('start', { severity: 'ticket' });
  await ada.queue('start', { severity: 'page', alertKey: `${ada.alertKey}-page` });
  await ada.untilStates('start: pending', 'start: delivered');
  t.match(JSON.parse(world.receiver.received[0]?.body ?? '').data, { severity: 'critical' });
  clock.advance(2 * hourMs);
  loop.wake();
  await ada.untilStates('start: delivered', 'start: delivered');
  t.match(JSON.parse(world.receiver.received[1]?.body ?? '').data, { severity: 'warning' });
});

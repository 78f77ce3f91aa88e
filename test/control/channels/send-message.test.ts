import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { type ChannelKind, channelKinds, channelLimits } from '../../../contract/channels.js';
import type { AlarmSource, Trouble } from '../../../control/alarms/alarm-source.js';
import { settleAlarms } from '../../../control/alarms/settle-alarms.js';
import { changeChannel, deleteChannel, loadChannel, testChannel } from '../../../control/channels/index.js';
import { messageSchedule } from '../../../control/channels/queue.js';
import type { PageId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import {
  loadMessages,
  makeChannel,
  originsAt,
  settingsFor,
  startTestChannelLoop,
} from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { type MovingClock, makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import { providers } from './providers.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
let pages = 0;
const newPage = async () => (await makePage(sql, { slug: `page-${++pages}`, name: 'Acme' })).id;

/** A source whose trouble the test says. */
const source: AlarmSource = {
  ...{ topic: 'deliveries', severity: 'critical', screen: 'webhooks' },
  load: async () => [],
  explainEnd: async (_page, { name }) => ({ title: `${name} is up again`, text: '', facts: [] }),
  many: { begin: (count) => `${count} are down`, end: (count) => `None of the ${count} is down any more` },
};
const down = (pageId: PageId, ...names: string[]): Trouble[] =>
  names.map((name) => ({
    ...{ pageId, subject: name, name, since: new Date(clock.now()) },
    ...{
      title: `${name} is down`,
      text: 'The connection was refused.',
      facts: [{ name: 'Target', value: name }],
    },
  }));
const settle = (pageId: PageId, ...names: string[]) =>
  settleAlarms(deps, source, pageId, down(pageId, ...names));
const statesOf = async (id: string) =>
  (await loadMessages(sql, id)).map(({ title, state }) => `${title}: ${state}`);
const untilStates = (id: string, states: string[]) =>
  waitUntil(`the states are ${states.join(', ')}`, async () => {
    return (await statesOf(id)).join() === states.join();
  });

/** Moves the clock to the next attempt whenever nothing is on its way, until the condition holds. */
async function passTime(what: string, moving: MovingClock, condition: () => Promise<boolean>): Promise<void> {
  await waitUntil(what, async () => {
    if (await condition()) return true;
    const [head] = await sql<{ at: Date | null; busy: number }[]>`
      select min(next_attempt_at) as at, count(claimed_until)::integer as busy from (
        -- A message behind the first may be due earlier: it was queued while the attempt at the first one failed.
        select distinct on (channel_id) next_attempt_at, claimed_until from channel_messages
        where state = 'pending' order by channel_id, seq) first`;
    if (head?.busy === 0 && head.at !== null) moving.advance(Math.max(0, head.at.getTime() - moving.now()));
    return false;
  });
}

for (const kind of channelKinds) {
  t.test(`${kind}: begin, end and test arrive, in the form that its documentation asks for`, async (t) => {
    const receiver = await startReceiver(t);
    const refusals: string[] = [];
    receiver.answer = (request) => {
      const reply = providers[kind](request);
      if (typeof reply === 'object' && reply.status >= 300) refusals.push(`${request.path} ${reply.body}`);
      return reply;
    };
    const pageId = await newPage();
    const origins = originsAt(receiver.url);
    const settings = settingsFor(receiver.url)[kind];
    const { id } = await makeChannel({ ...deps, origins }, pageId, { kind, settings });
    startTestChannelLoop(t, { sql, clock, origins });
    await settle(pageId, 'API');
    await settle(pageId);
    await testChannel(deps, { id });
    await untilStates(id, [
      'API is down: delivered',
      'API is up again: delivered',
      'This is a test: delivered',
    ]);
    t.strictSame(refusals, []);
    t.equal(receiver.received.length, 3);
    const [begin, end] = receiver.received;
    t.match(begin?.body, /API is down/);
    if (kind !== 'opsgenie') t.match(end?.body, /API is up again/);
    await deleteChannel(deps, { id });
  });
}

t.test('the chat of a reader is not in a private network, whatever pages may reach', async (t) => {
  const receiver = await startReceiver(t);
  const pageId = await newPage();
  const [own, reader] = [
    await makeChannel(deps, pageId, { settings: settingsFor(receiver.url).webhook }),
    await makeChannel(deps, pageId, { settings: settingsFor(receiver.url).webhook }),
  ];
  for (const { id } of [own, reader]) await testChannel(deps, { id });
  await sql`
    with reader as (
      insert into subscribers (id, page_id, language, created_at, requested_at)
      values (gen_random_uuid(), ${pageId}, 'en', now(), now()) returning id)
    update channels set subscriber_id = reader.id, address_hash = 'x' from reader where channels.id = ${reader.id}`;
  startTestChannelLoop(t, { sql, clock, readerEgress: undefined });
  await untilStates(own.id, ['This is a test: delivered']);
  const reasonOf = async (id: string) => (await loadMessages(sql, id))[0]?.reason ?? '';
  await waitUntil('the other is refused', async () => (await reasonOf(reader.id)).includes('not public'));
  t.equal(receiver.received.length, 1);
});

t.test('a webhook is signed, and its id stays the same on every attempt', async (t) => {
  const receiver = await startReceiver(t);
  let failures = 2;
  receiver.answer = () => ({ status: failures-- > 0 ? 503 : 204 });
  const pageId = await newPage();
  const settings = settingsFor(receiver.url).webhook;
  const { id } = await makeChannel(deps, pageId, { settings });
  startTestChannelLoop(t, deps);
  await settle(pageId, 'API');
  await passTime(
    'it is delivered',
    clock,
    async () => (await statesOf(id)).join() === 'API is down: delivered',
  );
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  t.equal(ids.length, 3);
  t.equal(new Set(ids).size, 1);
  const verifier = new Webhook(settings.secret ?? '');
  const verified = receiver.received.map(({ body, headers }) => {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    return verifier.sign(headers['webhook-id'] ?? '', at, body);
  });
  t.strictSame(
    receiver.received.map(({ headers }) => headers['webhook-signature']),
    verified,
  );
  t.match(JSON.parse(receiver.received[0]?.body ?? ''), {
    ...{ type: 'deliveries.behind', timestamp: /^20/ },
    data: {
      phase: 'begin',
      page: 'Acme',
      title: 'API is down',
      links: [{ url: /\/manage\/pages\/page-\d+\/webhooks$/ }],
    },
  });
  await deleteChannel(deps, { id });
});

t.test(
  'messages of a channel arrive in their order, and one that fails holds up only its own channel',
  async (t) => {
    const receiver = await startReceiver(t);
    let isDown = true;
    receiver.answer = ({ path }) => ({ status: path === '/bad' && isDown ? 500 : 200 });
    const pageId = await newPage();
    const bad = await makeChannel(deps, pageId, { settings: { url: `${receiver.url}/bad` } });
    const good = await makeChannel(deps, pageId, { settings: { url: `${receiver.url}/good` } });
    startTestChannelLoop(t, deps);
    for (const names of [['A'], ['A', 'B'], ['B'], []]) await settle(pageId, ...names);
    const titles = ['A is down', 'B is down', 'A is up again', 'B is up again'];
    await untilStates(
      good.id,
      titles.map((title) => `${title}: delivered`),
    );
    t.ok((await statesOf(bad.id)).every((state) => state.endsWith(': pending')));
    isDown = false;
    await passTime('the other one too', clock, async () =>
      (await statesOf(bad.id)).every((state) => state.endsWith(': delivered')),
    );
    const arrived = receiver.received
      .filter(({ path }) => path === '/bad')
      .map(({ body }) => JSON.parse(body).data.title);
    t.strictSame(
      arrived.filter((title, at) => title !== arrived[at - 1]),
      titles,
    );
    for (const { id } of [bad, good]) await deleteChannel(deps, { id });
  },
);

t.test('what a provider refuses for good is given up at once, and says why without a secret', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = ({ body }) => ({ status: body.includes('A is down') ? 404 : 204, body: 'no_service' });
  const { log, text } = captureLog();
  const pageId = await newPage();
  const { id } = await makeChannel(deps, pageId, {
    kind: 'slack',
    settings: { url: `${receiver.url}/T0/secret-path` },
  });
  startTestChannelLoop(t, { ...deps, log });
  await settle(pageId, 'A');
  await settle(pageId, 'A', 'B');
  await untilStates(id, ['A is down: parked', 'B is down: delivered']);
  t.match((await loadMessages(sql, id))[0]?.reason, 'refused: The provider answered 404: “no_service”');
  await waitUntil('the log says so', () => text().includes('A message to a channel was parked.'));
  t.notMatch(text(), /secret-path/);
  await deleteChannel(deps, { id });
});

t.test('what a provider says is kept, on one line and without the secrets of the channel', async (t) => {
  const { token, chat } = settingsFor('http://127.0.0.1').telegram;
  const cases = [
    [
      'telegram',
      `{"ok":false,"description":"Forbidden: ${token} was kicked from ${chat}"}`,
      `Forbidden: … was kicked from ${chat}`,
    ],
    ['discord', '{"message": "Unknown Webhook", "code": 10015}', 'Unknown Webhook'],
    [
      'teams',
      '{"error": {"code": "WorkflowTriggerIsNotEnabled", "message": "The trigger\\nis off."}}',
      'The trigger is off.',
    ],
    [
      'gotify',
      '{"error":"Unauthorized","errorCode":401,"errorDescription":"a valid token is needed"}',
      'a valid token is needed; Unauthorized',
    ],
    [
      'pushover',
      '{"user":"invalid","errors":["user identifier is invalid","no device"],"status":0}',
      'user identifier is invalid; no device',
    ],
    [
      'pagerduty',
      '{"status":"invalid event","message":"Event object is invalid","errors":["key is missing"]}',
      'Event object is invalid; key is missing',
    ],
    ['ntfy', '{"code":40301,"http":403,"error":"forbidden","link":"https://ntfy.sh/docs"}', 'forbidden'],
    ['opsgenie', '{"message":"Key format is not valid!","took":0.0}', 'Key format is not valid!'],
    ['mattermost', '{"message":"Invalid webhook","detailed_error":"x"}', 'Invalid webhook'],
    ['slack', 'channel_is_archived\n', 'channel_is_archived'],
    ['webhook', `${'long '.repeat(2000)}`, /^(?:long ){50,60}long…$/],
    ['webhook', '<html><h1>Forbidden</h1></html>', undefined],
  ] satisfies [ChannelKind, string, string | RegExp | undefined][];
  const receiver = await startReceiver(t);
  const origins = originsAt(receiver.url);
  const pageId = await newPage();
  startTestChannelLoop(t, { ...deps, origins });
  for (const [kind, body, reason] of cases) {
    receiver.answer = () => ({ status: 403, body });
    const settings = settingsFor(receiver.url)[kind];
    const { id } = await makeChannel({ ...deps, origins }, pageId, { kind, settings });
    await testChannel(deps, { id });
    await untilStates(id, ['This is a test: parked']);
    const [, said] =
      /^refused: The provider answered 403(?:: “(.*)”|\.)$/.exec(
        (await loadMessages(sql, id))[0]?.reason ?? '',
      ) ?? [];
    t.match([said], [reason], kind);
    await deleteChannel(deps, { id });
  }
});

t.test('a group of Telegram that has moved is followed, and its channel keeps the new chat', async (t) => {
  const receiver = await startReceiver(t);
  const moved = {
    ...{
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
    },
    parameters: { migrate_to_chat_id: -1001234567890 },
  };
  receiver.answer = ({ body }) =>
    body.includes('"-42"')
      ? { status: 400, body: JSON.stringify(moved) }
      : { status: 200, body: '{"ok":true}' };
  const origins = originsAt(receiver.url);
  const pageId = await newPage();
  const settings = { ...settingsFor(receiver.url).telegram, chat: '-42' };
  const { id } = await makeChannel({ ...deps, origins }, pageId, { kind: 'telegram', settings });
  startTestChannelLoop(t, { ...deps, origins });
  await settle(pageId, 'A');
  await settle(pageId, 'A', 'B');
  await untilStates(id, ['A is down: delivered', 'B is down: delivered']);
  const chats = receiver.received.map(({ body }) => JSON.parse(body).chat_id);
  t.strictSame(chats, ['-42', '-1001234567890', '-1001234567890'], 'at once, and from then on');
  t.equal((await loadChannel(deps, { id })).settings.chat, '-1001234567890');
  const audited = await sql<{ actor: string; before: unknown; after: unknown }[]>`
    select actor_name as actor, before, after from audit_log where target_id = ${id} and action = 'channel.update'`;
  t.equal(audited.length, 1);
  t.match(audited[0], {
    actor: 'channels',
    before: { settings: { chat: '-42' } },
    after: { settings: { chat: '-1001234567890' } },
  });
  await deleteChannel(deps, { id });
});

t.test('a provider that sends a chat on and on is given up', async (t) => {
  const receiver = await startReceiver(t);
  let chat = -100;
  receiver.answer = () => ({
    status: 400,
    body: JSON.stringify({ ok: false, parameters: { migrate_to_chat_id: --chat } }),
  });
  const origins = originsAt(receiver.url);
  const pageId = await newPage();
  const settings = settingsFor(receiver.url).telegram;
  const { id } = await makeChannel({ ...deps, origins }, pageId, { kind: 'telegram', settings });
  startTestChannelLoop(t, { ...deps, origins });
  await testChannel(deps, { id });
  await untilStates(id, ['This is a test: parked']);
  t.equal(receiver.received.length, messageSchedule.pausesSeconds.length + 1);
  await deleteChannel(deps, { id });
});

t.test('a body may say that the provider did not take it', async (t) => {
  for (const [kind, body] of [
    ['telegram', '{"ok":false}'],
    ['pushover', '{"status":0}'],
  ] satisfies [ChannelKind, string][]) {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 200, body });
    const pageId = await newPage();
    const origins = originsAt(receiver.url);
    const { id } = await makeChannel({ ...deps, origins }, pageId, {
      kind,
      settings: settingsFor(receiver.url)[kind],
    });
    startTestChannelLoop(t, { ...deps, origins });
    await testChannel(deps, { id });
    await untilStates(id, ['This is a test: parked']);
    await deleteChannel(deps, { id });
  }
});

t.test('a provider may ask for more time, in the header or in the body', async (t) => {
  for (const [reply, seconds] of [
    [{ status: 429, headers: { 'retry-after': '90' } }, 90],
    [{ status: 429, body: '{"ok":false,"parameters":{"retry_after":45}}' }, 45],
  ] as const) {
    const receiver = await startReceiver(t);
    receiver.answer = () => reply;
    const pageId = await newPage();
    const { id } = await makeChannel(deps, pageId, { settings: { url: receiver.url } });
    startTestChannelLoop(t, deps);
    await settle(pageId, 'A');
    await waitUntil('it has failed once', async () => (await loadMessages(sql, id))[0]?.reason !== null);
    const [message] = await loadMessages(sql, id);
    t.equal(message?.next_attempt_at.getTime(), clock.now() + seconds * 1000);
    await deleteChannel(deps, { id });
  }
});

t.test('after eleven attempts a message is given up, and the next one is tried', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = ({ body }) => (body.includes('A is down') ? 'cut' : { status: 200 });
  const pageId = await newPage();
  const { id } = await makeChannel(deps, pageId, { settings: { url: receiver.url } });
  startTestChannelLoop(t, deps);
  await settle(pageId, 'A');
  await settle(pageId, 'A', 'B');
  await passTime(
    'both are done',
    clock,
    async () => (await statesOf(id)).join() === 'A is down: parked,B is down: delivered',
  );
  t.equal((await loadMessages(sql, id))[0]?.attempts, messageSchedule.pausesSeconds.length + 1);
  await deleteChannel(deps, { id });
});

t.test('a provider that hangs delays no other one', async (t) => {
  const [dead, well] = [await startReceiver(t), await startReceiver(t)];
  dead.answer = () => 'hang';
  const pageId = await newPage();
  const made = [];
  for (let at = 0; at < 40; at += 1) {
    made.push(
      await makeChannel(deps, pageId, { settings: { url: `${at < 36 ? dead.url : well.url}/${at}` } }),
    );
  }
  const loop = startTestChannelLoop(t, { ...deps, timeoutMs: 60_000 });
  await settle(pageId, 'A');
  await waitUntil('the others have arrived', () => well.received.length === 4);
  t.ok(dead.received.length <= 16, `attempts at the one that hangs: ${dead.received.length}`);
  await loop.stop();
  t.equal(made.length, 40);
  for (const { id } of made) await deleteChannel(deps, { id });
});

t.test('private addresses are refused unless they are allowed', async (t) => {
  const receiver = await startReceiver(t);
  const pageId = await newPage();
  const { id } = await makeChannel(deps, pageId, { settings: { url: receiver.url } });
  startTestChannelLoop(t, { ...deps, allowPrivateAddresses: false });
  await settle(pageId, 'A');
  await waitUntil('it has failed', async () => (await loadMessages(sql, id))[0]?.reason !== null);
  t.equal(receiver.received.length, 0);
  t.match((await loadMessages(sql, id))[0]?.reason, /^address: .*not public/);
  await deleteChannel(deps, { id });
});

t.test(
  'a channel that is turned off drops what waits, and hears of the next thing when it is on again',
  async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 500 });
    const pageId = await newPage();
    const { id } = await makeChannel(deps, pageId, { settings: { url: receiver.url } });
    startTestChannelLoop(t, deps);
    await settle(pageId, 'A');
    await waitUntil('it was tried', () => receiver.received.length === 1);
    await changeChannel(deps, { id, enabled: false });
    t.strictSame(await statesOf(id), ['A is down: parked']);
    await settle(pageId, 'A', 'B');
    receiver.answer = () => ({ status: 200 });
    await changeChannel(deps, { id, enabled: true });
    await settle(pageId, 'A', 'B');
    await untilStates(id, ['A is down: parked', 'B is down: delivered']);
    await deleteChannel(deps, { id });
  },
);

t.test('what failed goes to a new address at once', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = ({ path }) => ({ status: path === '/new' ? 200 : 500 });
  const pageId = await newPage();
  const { id } = await makeChannel(deps, pageId, { settings: { url: `${receiver.url}/old` } });
  startTestChannelLoop(t, deps);
  await settle(pageId, 'A');
  await waitUntil('it has failed', async () => (await loadMessages(sql, id))[0]?.reason !== null);
  await changeChannel(deps, { id, settings: { url: `${receiver.url}/new` } });
  await untilStates(id, ['A is down: delivered']);
  await deleteChannel(deps, { id });
});

t.test('beyond its bound a channel gives up its oldest message', async (t) => {
  const pageId = await newPage();
  const { id } = await makeChannel(deps, pageId, { settings: { url: 'http://127.0.0.1:9/' } });
  await testChannel(deps, { id });
  await sql`
    insert into channel_messages (id, page_id, channel_id, event, message, next_attempt_at, created_at)
    select gen_random_uuid(), page_id, channel_id, event, message, next_attempt_at, created_at
    from channel_messages, generate_series(2, ${channelLimits.waitingPerChannel}::int) where channel_id = ${id}`;
  await settle(pageId, 'A');
  await settle(pageId);
  const states = (await loadMessages(sql, id)).map(({ state }) => state);
  t.equal(states.filter((state) => state === 'pending').length, channelLimits.waitingPerChannel);
  t.strictSame(states.slice(0, 2), ['parked', 'parked']);
  t.match((await loadMessages(sql, id))[0]?.reason, /^full: /);
  await deleteChannel(deps, { id });
});

t.test(
  'a message that was claimed by an instance that died is sent again when the claim has lapsed',
  async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 200 });
    const pageId = await newPage();
    const { id } = await makeChannel(deps, pageId, { settings: { url: receiver.url } });
    await settle(pageId, 'A');
    const lapses = new Date(clock.now() + minuteMs);
    await sql`update channel_messages set claimed_until = ${lapses}, attempts = 1 where channel_id = ${id}`;
    const loop = startTestChannelLoop(t, deps);
    const witness = await makeChannel(deps, pageId, { settings: { url: `${receiver.url}/witness` } });
    await testChannel(deps, { id: witness.id });
    await untilStates(witness.id, ['This is a test: delivered']);
    t.strictSame(await statesOf(id), ['A is down: pending'], 'the claim of the other instance holds');
    clock.advance(minuteMs);
    loop.wake();
    await untilStates(id, ['A is down: delivered']);
    for (const channel of [id, witness.id]) await deleteChannel(deps, { id: channel });
  },
);

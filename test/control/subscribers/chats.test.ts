import t from 'tap';
import {
  appendUpdate,
  changeIncident,
  parseIncidentChange,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import {
  forgetUnconfirmedSubscribers,
  listChatSubscribers,
  loadPreferences,
  removeChatSubscriber,
} from '../../../control/subscribers/index.js';
import { dayMs, hourMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { startTestChannelLoop } from '../../support/channels.js';
import { makeMonitors } from '../../support/incidents.js';
import { addConfirmed, setUpMail } from '../../support/mail-setup.js';
import { type Received, startReceiver } from '../../support/receiver.js';
import { waitUntil } from '../../support/wait-until.js';
import { providers } from '../channels/providers.js';

const mail = await setUpMail(t);
const { sql, clock, page } = mail;
await makeMonitors(sql, page.id, ['api', 'web']);
mail.startLoop(t, { pollMs: 20 });
startTestChannelLoop(t, { sql, clock });
const receiver = await startReceiver(t);
let clients = 0;
const newClient = () => ({ 'x-forwarded-for': `198.51.100.${++clients}` });

const signUp = (kind: string, path: string, fields: object = {}) =>
  mail.signUp({ chat: { kind, url: `${receiver.url}${path}` }, ...fields }, newClient());
const sentTo = (path: string): Received[] => receiver.received.filter((one) => one.path === path);
const titleOf = ({ body }: Received): string => JSON.parse(body).data.title;
const untilSent = async (path: string, count: number) => {
  await waitUntil(`${path} has ${count} messages`, () => sentTo(path).length >= count);
  return sentTo(path);
};

/** The path and query of a link to the page in a message. */
function linkIn({ body }: Received, purpose: string): string {
  const url = new RegExp(`https://acme\\.localhost(/subscribers/${purpose}\\?token=[\\w.-]+)`).exec(
    body,
  )?.[1];
  if (url === undefined) throw new Error(`No link to ${purpose} in ${body}`);
  return url;
}
async function confirm(path: string): Promise<void> {
  const [first] = await untilSent(path, 1);
  if (first === undefined) throw new Error('The first message has arrived.');
  const { status } = await mail.ask(linkIn(first, 'confirm'), { method: 'POST' });
  if (status !== 200) throw new Error(`The confirmation is answered with ${status}.`);
}
/** Waits until nothing is left to be queued or sent. */
const settled = () =>
  waitUntil('everything is sent', async () => {
    const [row] = await sql<{ busy: boolean }[]>`
      select exists (select 1 from announcements where emails_queued_at is null)
        or exists (select 1 from channel_messages where state = 'pending') as busy`;
    return row?.busy === false;
  });

for (const kind of ['slack', 'discord', 'teams'] as const) {
  t.test(`${kind}: nothing but a link to confirm comes before the confirmation`, async (t) => {
    const refused: string[] = [];
    receiver.answer = (request) => {
      const reply = providers[kind]({ ...request, path: `/${kind}` });
      if (typeof reply === 'object' && reply.status >= 300) refused.push(request.body);
      return reply;
    };
    t.equal((await signUp(kind, `/${kind}`)).status, 202);
    const [first] = await untilSent(`/${kind}`, 1);
    t.match(first?.body, /Confirm your subscription to Acme/);
    await mail.openIncident();
    await settled();
    t.equal(sentTo(`/${kind}`).length, 1, 'it has not confirmed');
    await confirm(`/${kind}`);
    await mail.openIncident();
    const [, second] = await untilSent(`/${kind}`, 2);
    t.match(second?.body, /New incident: Database outage/);
    t.match(second?.body, /https:\/\/acme\.localhost\/en\/incidents\//);
    if (second !== undefined) t.ok(linkIn(second, 'manage'));
    t.strictSame(refused, []);
    await sql`delete from subscribers`;
    receiver.answer = () => ({ status: 204 });
  });
}

t.test('a program gets the same as JSON, in its language, in the order of the changes', async (t) => {
  t.equal((await signUp('webhook', '/order', { language: 'de' })).status, 202);
  await confirm('/order');
  const incidentId = await mail.openIncident();
  const deps = { sql, clock, by: testActor };
  for (const body of ['One.', 'Two.', 'Three.']) {
    await appendUpdate(deps, { pageId: page.id, incidentId, input: parseNewUpdate({ body }) });
  }
  const input = parseNewUpdate({ body: 'Over.', status: 'resolved' });
  await appendUpdate(deps, { pageId: page.id, incidentId, input });
  const messages = (await untilSent('/order', 6)).slice(1).map(({ body }) => JSON.parse(body));
  t.strictSame(
    messages.map(({ data }) => data.text),
    ['Connections time out.', 'One.', 'Two.', 'Three.', 'Over.'],
  );
  t.match(messages[0], { type: 'incident.created', data: { phase: 'begin', title: /^Neue Störung: / } });
  t.match(messages.at(-1), { type: 'incident.resolved', data: { phase: 'end', key: incidentId } });
  await sql`delete from subscribers`;
});

t.test('a chat hears of what it has chosen, and of the end of what it has heard of', async (t) => {
  t.equal((await signUp('webhook', '/chosen', { services: ['api'] })).status, 202);
  await confirm('/chosen');
  const incidentId = await mail.openIncident({ monitorSlugs: ['api'] });
  // The services of the moment decide who hears, so the first message comes before they change.
  await untilSent('/chosen', 2);
  await mail.openIncident({ monitorSlugs: ['web'], title: 'Other' });
  const deps = { sql, clock, by: testActor };
  const change = parseIncidentChange({
    monitorSlugs: ['web'],
    resolvedAt: new Date(clock.now()).toISOString(),
  });
  await changeIncident(deps, { pageId: page.id, incidentId, change });
  await settled();
  t.strictSame(sentTo('/chosen').slice(1).map(titleOf), [
    'New incident: Database outage',
    'Resolved: Database outage',
  ]);
  await sql`delete from subscribers`;
});

t.test('nobody can tell whether a chat is known, nor change what it has chosen', async (t) => {
  const first = await signUp('webhook', '/known', { services: ['api'] });
  await Promise.all([signUp('webhook', '/known'), signUp('webhook', '/known')]);
  await settled();
  await confirm('/known');
  const asked = sentTo('/known').length;
  const again = await signUp('webhook', '/known', { services: ['web'], reminders: true });
  t.strictSame([again.status, again.body], [first.status, first.body]);
  await settled();
  t.equal(sentTo('/known').length, asked, 'a chat that has confirmed is not asked');
  const [chat] = await listChatSubscribers({ sql }, { pageId: page.id, limit: 10 });
  const preferences = await loadPreferences(sql, { pageId: page.id, subscriberId: chat?.id ?? fail() });
  t.strictSame(preferences, { choice: null, reminders: false });
  t.equal((await listChatSubscribers({ sql }, { pageId: page.id, limit: 10 })).length, 1);
  await sql`delete from subscribers`;
});

t.test('a chat is asked three times a day', async (t) => {
  for (const expected of [1, 2, 3, 3]) {
    t.equal((await signUp('webhook', '/often')).status, 202);
    await settled();
    t.equal(sentTo('/often').length, expected);
  }
  clock.advance(dayMs + 1);
  await signUp('webhook', '/often');
  await untilSent('/often', 4);
  await sql`delete from subscribers`;
});

t.test('a chat chooses and leaves by its link, and is forgotten with its URL', async (t) => {
  await signUp('webhook', '/leaves');
  await confirm('/leaves');
  await mail.openIncident();
  const [, message] = await untilSent('/leaves', 2);
  if (message === undefined) throw new Error('The incident has arrived.');
  const view = await mail.ask(linkIn(message, 'manage'));
  t.equal(view.status, 200);
  const [, action = ''] = /action="([^"]+)" class="leave"/.exec(String(view.body)) ?? [];
  const left = await mail.ask(action, { method: 'POST' });
  t.match(left.body, /Your chat will get no more messages about Acme/);
  t.strictSame([...(await sql`select 1 from channels where subscriber_id is not null`)], []);
  await mail.openIncident();
  await settled();
  t.equal(sentTo('/leaves').length, 2);
});

t.test('a chat whose webhook is gone gets nothing more', async (t) => {
  await signUp('webhook', '/gone');
  await confirm('/gone');
  receiver.answer = ({ path }) => ({ status: path === '/gone' ? 404 : 204 });
  await mail.openIncident();
  await untilSent('/gone', 2);
  await waitUntil('it is noted', async () => {
    const [chat] = await listChatSubscribers({ sql }, { pageId: page.id, limit: 1 });
    return chat !== undefined && chat.goneAt !== null;
  });
  await mail.openIncident();
  await settled();
  t.equal(sentTo('/gone').length, 2);
  receiver.answer = () => ({ status: 204 });
  await sql`delete from subscribers`;
});

t.test('operators see and remove chats without their URLs, and unconfirmed ones are forgotten', async (t) => {
  await signUp('webhook', '/removed/secret-path');
  await signUp('webhook', '/stays');
  await settled();
  const chats = await listChatSubscribers({ sql }, { pageId: page.id, limit: 10 });
  t.match(chats, [{ kind: 'webhook', host: /^127/, confirmedAt: null }, { kind: 'webhook' }]);
  t.notMatch(JSON.stringify(chats), /secret-path/);
  const id = chats[1]?.id ?? '';
  await removeChatSubscriber({ sql, clock, by: testActor }, { pageId: page.id, id });
  const [row] = await sql`select action, target_name, before from audit_log where target_id = ${id}`;
  t.match(row, { action: 'subscriber.delete', before: { kind: 'webhook' } });
  clock.advance(7 * dayMs + hourMs);
  await forgetUnconfirmedSubscribers({ sql, clock });
  t.strictSame([...(await listChatSubscribers({ sql }, { pageId: page.id, limit: 10 }))], []);
  t.strictSame([...(await sql`select 1 from channel_messages`)], []);
});

t.test('400: addresses that cannot be used', async (t) => {
  const url = `${receiver.url}/wrong`;
  for (const body of [
    { chat: { kind: 'telegram', url } },
    { chat: { kind: 'slack', url: 'hooks.slack.com' } },
    { chat: { kind: 'slack', url: 'ftp://hooks.slack.com/' } },
    { chat: { kind: 'slack' } },
    { chat: { kind: 'slack', url }, email: 'ann@example.com' },
    { chat: { kind: 'slack', url }, services: ['none'] },
    {},
  ]) {
    t.equal((await mail.signUp(body, newClient())).status, 400, JSON.stringify(body));
  }
  t.strictSame([...(await sql`select 1 from subscribers`)], []);
});

t.test('emails are sent beside the chats', async (t) => {
  await addConfirmed(mail, ['ann@example.com']);
  await signUp('webhook', '/beside');
  await confirm('/beside');
  const [before] = await sql<
    { count: number }[]
  >`select count(*)::int as count from emails where kind = 'announcement'`;
  await mail.openIncident();
  await untilSent('/beside', 2);
  await settled();
  const [after] = await sql<
    { count: number }[]
  >`select count(*)::int as count from emails where kind = 'announcement'`;
  t.equal((after?.count ?? 0) - (before?.count ?? 0), 1);
});

function fail(): never {
  throw new Error('There is no chat.');
}

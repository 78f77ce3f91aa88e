import t from 'tap';
import { type ContactWay, contactWayKinds, contactWayLimits } from '../../../contract/manage/contact-ways.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { checkAnswersWith, type Description, findOperation } from '../../support/api-description.js';
import { gatewaysAt, gatewayToken, waySettingsFor } from '../../support/contact-ways.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { giveRole, makeUser, type PersonHeaders, signIn } from '../../support/people.js';
import { startReceiver } from '../../support/receiver.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { startSmtpSink } from '../../support/smtp-sink.js';

const clock = makeMovingClock();
const receiver = await startReceiver(t);
const sink = await startSmtpSink(t);
const service = await startTestService(t, {
  ...{ clock, roles: withoutJobs, allowPrivateAddresses: true },
  ...{ smtpUrl: sink.url, gateways: gatewaysAt(receiver.url) },
});
const { sql } = service.stores;
const deps = { sql, clock };
const description = (await service.get('/openapi.json')).body as Description;
const findUndescribed = checkAnswersWith(description);
const list = '/api/v1/me/contact-ways';

/** A person with a role on the page acme, and a browser of theirs. */
async function newPerson() {
  const user = await makeUser(deps);
  await giveRole(deps, { userId: user.id, slug: 'acme', role: 'viewer' });
  const headers: PersonHeaders = await signIn(deps, user.id);
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const answer = await service.post(path, body, { method, key: null, headers: { ...headers, ...more } });
    const operation = findOperation(description, method, path)?.operation;
    if (operation === undefined) t.fail(`${method} ${path} is not described.`);
    else if (answer.status < 300 && answer.body !== '') {
      t.strictSame(findUndescribed(operation, answer), [], `${method} ${path} answers as described`);
    }
    return answer;
  };
  const create = async (fields: object): Promise<ContactWay> => {
    const { status, body } = await send('POST', list, fields);
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as ContactWay;
  };
  return { ...user, send, create };
}

const auditOf = (id: string) => sql`
  select action, target_name, before, after from audit_log where target_id = ${id} order by id`;
/** Everything that may be in the settings of a way, or of a gateway, and in no answer. */
const secrets = /secret-path|AAH-abc|tk_secret|ada-on-call|a{30}|u{30}|whsec_|AC0123456789|gateway-auth/;
/** The code in what was sent last to a phone. */
const lastCode = () =>
  /(\d{6}) is/.exec(new URLSearchParams(receiver.received.at(-1)?.body).get('Body') ?? '')?.[1];
const wrong = (code = '') => (code === '000000' ? '000001' : '000000');

t.test('201: a way of every kind is created, and no answer and no row has its secrets', async (t) => {
  const ada = await newPerson();
  for (const kind of contactWayKinds) {
    receiver.answer = () => ({ status: 201 });
    const settings = waySettingsFor('https://hooks.example.com/secret-path')[kind];
    const created = await ada.send('POST', list, { kind, settings });
    t.equal(created.status, 201, kind);
    const way = created.body as ContactWay;
    t.equal(created.headers.get('location'), `${list}/${way.id}`);
    const shown = await ada.send('GET', `${list}/${way.id}`);
    t.strictSame(shown.body, way);
    t.ok(shown.headers.get('etag'));
    const isProven = !['email', 'sms', 'voice'].includes(kind);
    t.match(way, { kind, severities: ['page', 'ticket', 'info'], quietHours: null, confirmed: isProven });
    t.equal(way.confirmation === null, isProven, kind);
    const rows = await auditOf(way.id);
    t.match([...rows][0], { action: 'contact-way.create', after: { kind, confirmed: isProven } });
    t.notMatch(JSON.stringify([way, shown.body, rows]), secrets, kind);
    t.notMatch(JSON.stringify(rows), /pager@example|4930123456/, 'no address in the log');
    const [row] = await sql<{ text: string }[]>`
      select w::text as text from contact_ways w where id = ${way.id}`;
    t.notMatch(row?.text, secrets, 'the row has them encrypted');
  }
  const listed = await ada.send('GET', list);
  t.equal(Object(listed.body).items.length, contactWayKinds.length);
});

t.test('a phone is confirmed by the code that was sent to it', async (t) => {
  const ada = await newPerson();
  receiver.answer = () => ({ status: 201 });
  const way = await ada.create({ kind: 'sms', settings: { to: '+49 30 123456' } });
  t.match(way, { address: '+4930123456', confirmed: false, confirmation: { triesLeft: 5, failed: null } });
  const path = `${list}/${way.id}`;
  t.match(await ada.send('POST', `${path}/test`), { status: 409 });
  const code = lastCode();
  t.match(code, /^\d{6}$/);
  const [row] = await sql<
    { text: string }[]
  >`select w::text as text from contact_ways w where id = ${way.id}`;
  t.notMatch(row?.text, code ?? '', 'the row has no code');
  t.match(await ada.send('POST', `${path}/confirm`, { code: wrong(code) }), {
    status: 400,
    body: { error: 'The code is wrong. You have 4 tries left.' },
  });
  t.match(await ada.send('POST', `${path}/confirm`, { code }), { status: 200, body: { confirmed: true } });
  t.match(await ada.send('POST', `${path}/confirm`, { code: wrong(code) }), { status: 200 }, 'it stays so');
  const actions = (await auditOf(way.id)).map(({ action }) => action);
  t.strictSame(actions, ['contact-way.create', 'contact-way.code', 'contact-way.confirm']);
  t.match(await ada.send('POST', `${path}/test`), {
    body: { state: 'delivered', status: 201, reason: null },
  });
  t.match(new URLSearchParams(receiver.received.at(-1)?.body).get('Body'), /^Heartline: This is a test/);
});

t.test('five wrong codes end a code, and so do ten minutes', async (t) => {
  const ada = await newPerson();
  receiver.answer = () => ({ status: 201 });
  const { id } = await ada.create({ kind: 'sms', settings: { to: '+4930123456' } });
  const confirm = (code?: string) =>
    ada.send('POST', `${list}/${id}/confirm`, code === undefined ? undefined : { code });
  const first = lastCode();
  for (let guess = 0; guess < contactWayLimits.codeTries; guess += 1)
    t.equal((await confirm(wrong(first))).status, 400);
  t.equal((await confirm(first)).status, 409, 'the right one comes too late');
  t.match(await confirm(), { status: 200, body: { confirmation: { triesLeft: 5 } } });
  const second = lastCode();
  clock.advance(contactWayLimits.codeMinutes * minuteMs);
  t.equal((await confirm(second)).status, 409, 'it has ended');
  t.equal((await confirm()).status, 200);
  t.match(await confirm(lastCode()), { status: 200, body: { confirmed: true } });
});

t.test('an email of another address is confirmed by a code, and the one of the account is not', async (t) => {
  const ada = await newPerson();
  t.match(await ada.create({ kind: 'email' }), { address: ada.email, confirmed: true });
  const to = `pager-${ada.id}@example.org`;
  const way = await ada.create({ kind: 'email', settings: { to } });
  t.equal(way.confirmed, false);
  const [mail] = sink.to(to);
  const code = /^(\d{6}) is your code/.exec(mail?.subject ?? '')?.[1];
  const confirmed = await ada.send('POST', `${list}/${way.id}/confirm`, { code });
  t.match(confirmed, { status: 200, body: { confirmed: true, confirmation: null } });
  const changed = await ada.send('PATCH', `${list}/${way.id}`, { settings: { to: `x-${to}` } });
  t.match(changed, { status: 200, body: { confirmed: false } }, 'a new address is not confirmed');
  t.equal(sink.to(`x-${to}`).length, 1);
});

t.test('200: the test says what the provider said, without a secret, and is counted', async (t) => {
  const ada = await newPerson();
  const settings = { url: `${receiver.url}/secret-path` };
  const { id } = await ada.create({ kind: 'webhook', settings });
  receiver.answer = ({ path }) => ({ status: 500, body: `no ${path} here` });
  const failed = await ada.send('POST', `${list}/${id}/test`);
  t.match(failed, { status: 200, body: { state: 'failed', status: 500, reason: /^status: .*“no … here”/ } });
  receiver.answer = () => ({ status: 204 });
  t.match(await ada.send('POST', `${list}/${id}/test`), { body: { state: 'delivered', status: 204 } });
  t.match(JSON.parse(receiver.received.at(-1)?.body ?? ''), { type: 'contact-way.test' });
  const rows = await auditOf(id);
  t.match([...rows].slice(1), [
    { action: 'contact-way.test', after: { state: 'failed' } },
    { action: 'contact-way.test', after: { state: 'delivered' } },
  ]);
  t.notMatch(JSON.stringify([failed.body, rows]), secrets);
  for (let sent = 2; sent < contactWayLimits.testsPerHour; sent += 1)
    await ada.send('POST', `${list}/${id}/test`);
  const refused = await ada.send('POST', `${list}/${id}/test`);
  t.equal(refused.status, 429);
  t.ok(refused.headers.get('retry-after'));
  clock.advance(hourMs);
  t.equal((await ada.send('POST', `${list}/${id}/test`)).status, 200);
});

t.test('a gateway that refuses is shown in its words, without its credentials', async (t) => {
  const ada = await newPerson();
  receiver.answer = ({ headers, path }) => ({
    status: 401,
    body: JSON.stringify({ message: `Bad ${headers['authorization']} of ${gatewayToken} at ${path}` }),
  });
  const way = await ada.create({ kind: 'voice', settings: { to: '+4930123456' } });
  t.match(way.confirmation?.failed, /^refused: The provider answered 401: “Bad … of … at [/…]+”/);
  t.notMatch(JSON.stringify([way, await auditOf(way.id)]), secrets);
  t.notMatch(way.confirmation?.failed, /4930123456/);
});

t.test('429: five codes within an hour, over all ways', async (t) => {
  const ada = await newPerson();
  receiver.answer = () => ({ status: 201 });
  const { id } = await ada.create({ kind: 'sms', settings: { to: '+4930123456' } });
  for (let sent = 1; sent < contactWayLimits.codesPerHour; sent += 1)
    t.equal((await ada.send('POST', `${list}/${id}/confirm`)).status, 200);
  const before = receiver.received.length;
  t.equal((await ada.send('POST', `${list}/${id}/confirm`)).status, 429);
  t.equal((await ada.send('POST', list, { kind: 'voice', settings: { to: '+4930123457' } })).status, 429);
  t.equal((await ada.send('PATCH', `${list}/${id}`, { settings: { to: '+4930123458' } })).status, 429);
  t.equal(receiver.received.length, before, 'nothing was sent');
  t.equal(Object((await ada.send('GET', list)).body).items.length, 1, 'and nothing was created');
});

t.test('PATCH changes what it names, 412 for another state, and 204 deletes', async (t) => {
  const ada = await newPerson();
  const way = await ada.create({ kind: 'ntfy', settings: { topic: 'ada-on-call' } });
  const path = `${list}/${way.id}`;
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const changes = { name: 'Phone', severities: ['ticket', 'page'], quietHours };
  const changed = await ada.send('PATCH', path, changes);
  t.match(changed.body, { name: 'Phone', severities: ['page', 'ticket'], quietHours });
  const stale = { 'if-match': '"another"' };
  t.equal((await ada.send('PATCH', path, { name: 'x' }, stale)).status, 412);
  t.equal((await ada.send('DELETE', path, undefined, stale)).status, 412);
  const tag = { 'if-match': changed.headers.get('etag') ?? '' };
  t.equal((await ada.send('PATCH', path, { quietHours: null }, tag)).status, 200);
  const elsewhere = { settings: { server: 'https://push.example.com' } };
  t.equal((await ada.send('PATCH', path, elsewhere)).status, 400, 'its topic is not sent to another server');
  t.equal((await ada.send('DELETE', path)).status, 204);
  t.equal((await ada.send('GET', path)).status, 404);
  const rows = await auditOf(way.id);
  t.strictSame(
    rows.map(({ action }) => action),
    ['contact-way.create', 'contact-way.update', 'contact-way.update', 'contact-way.delete'],
  );
});

t.test('400: what cannot be used is named', async (t) => {
  const ada = await newPerson();
  const refused: [object, RegExp][] = [
    [{ kind: 'pager' }, /kind/],
    [{ kind: 'sms', settings: { to: '030 123456' } }, /with its country/],
    [{ kind: 'ntfy', settings: {} }, /needs "topic"/],
    [{ kind: 'ntfy', settings: { topic: 'a' }, severities: [] }, /severities/],
    [
      { kind: 'email', quietHours: { from: '22:00', to: '07:00', timeZone: 'Mars/Base' } },
      /no such time zone/,
    ],
    [{ kind: 'webhook', settings: { url: 'ftp://example.com' } }, /url/],
  ];
  for (const [body, message] of refused) {
    const answer = await ada.send('POST', list, body);
    t.match(answer, { status: 400, body: { error: message } }, JSON.stringify(body));
  }
});

t.test('409: a person has ten ways', async (t) => {
  const ada = await newPerson();
  const make = () => ada.send('POST', list, { kind: 'ntfy', settings: { topic: 'ada-on-call' } });
  for (let made = 0; made < contactWayLimits.waysPerPerson; made += 1) t.equal((await make()).status, 201);
  t.match(await make(), { status: 409, body: { error: /You have 10 ways/ } });
});

t.test('404: another person’s way does not exist, and nothing of it changes', async (t) => {
  const [ada, bob] = [await newPerson(), await newPerson()];
  const way = await ada.create({ kind: 'ntfy', settings: { topic: 'ada-on-call' } });
  const path = `${list}/${way.id}`;
  const before = receiver.received.length;
  const tries: [string, string, object?][] = [
    ['GET', path],
    ['PATCH', path, { name: 'Mine' }],
    ['DELETE', path],
    ['POST', `${path}/test`],
    ['POST', `${path}/confirm`, { code: '000000' }],
  ];
  for (const [method, where, body] of tries)
    t.equal((await bob.send(method, where, body)).status, 404, `${method} ${where}`);
  t.strictSame(Object((await bob.send('GET', list)).body).items, []);
  t.strictSame((await ada.send('GET', path)).body, way);
  t.equal(receiver.received.length, before);
});

t.test('401 and 403: only people who have signed in have ways', async (t) => {
  t.equal((await service.post(list, {}, { key: null })).status, 401);
  t.equal((await service.post(list, undefined, { key: null, method: 'GET' })).status, 401);
});

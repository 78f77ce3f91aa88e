import t from 'tap';
import { createUser } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { countPasswords, password } from '../../control/people/support.js';
import { testActor } from '../../support/actor.js';
import { makeKey } from '../../support/pages.js';
import { giveRole, headersOf, signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { totpCode } from '../../support/totp.js';

const service = await startTestService(t, { roles: withoutJobs, trustedProxies: ['127.0.0.1'] });
const deps = { sql: service.stores.sql, clock: systemClock };
const people = { ...deps, by: testActor, passwords: countPasswords() };
const email = 'ada@example.com';
const ada = await createUser(people, { email, name: 'Ada', password });
await giveRole(deps, { userId: ada.id, slug: 'acme', role: 'responder' });

let clients = 0;
/** Each client has its own limit of failures. */
const newClient = () => {
  clients += 1;
  return { 'x-forwarded-for': `198.51.100.${clients}` };
};

type Headers = Record<string, string>;
const send = (method: string, path: string, body?: unknown, headers: Headers = {}) =>
  service.post(path, body, { method, key: null, headers: { ...newClient(), ...headers } });
const enter = (body: object, headers: Headers = {}) => send('POST', '/api/v1/session', body, headers);

function tokenOf(headers: { get(name: string): string | null }): string {
  return /=([0-9A-Za-z]{43});/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
}

t.test('200: signing in sets a cookie and says who one is', async (t) => {
  const { status, body, headers } = await enter({ email, password });
  t.equal(status, 200, JSON.stringify(body));
  t.strictSame(body, {
    caller: {
      ...{ type: 'user', id: ada.id, name: 'Ada', email, language: null },
      ...{ hasPassword: true, hasTotp: false },
    },
    admin: false,
    pages: [
      {
        slug: 'acme',
        name: 'acme',
        role: 'responder',
        permissions: ['telemetry.read', 'incidents.write', 'alerts.acknowledge'],
        alertThresholdPercent: null,
      },
    ],
  });
  const cookie = headers.get('set-cookie') ?? '';
  t.match(cookie, /^heartline-session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
  const me = await send('GET', '/api/v1/me', undefined, headersOf(tokenOf(headers)));
  t.strictSame(me.body, body);
});

t.test('on HTTPS the cookie is secure, and no other one counts', async (t) => {
  const https = { 'x-forwarded-proto': 'https' };
  const { headers } = await enter({ email, password }, https);
  t.match(headers.get('set-cookie'), /^__Host-heartline=[0-9A-Za-z]{43}; Secure; Path=\/; HttpOnly;/);
  const token = tokenOf(headers);
  const me = (cookie: string) => send('GET', '/api/v1/me', undefined, { ...https, cookie });
  t.equal((await me(`__Host-heartline=${token}`)).status, 200);
  t.equal((await me(`heartline-session=${token}`)).status, 401);
});

t.test('a session that the browser brings is not taken over', async (t) => {
  const fixed = 'A'.repeat(43);
  const { headers } = await enter({ email, password }, headersOf(fixed));
  t.not(tokenOf(headers), fixed);
  t.equal((await send('GET', '/api/v1/me', undefined, headersOf(fixed))).status, 401);
});

t.test('401: the same answer for whatever is wrong', async (t) => {
  const answers = [
    await enter({ email, password: 'wrong' }),
    await enter({ email: 'nobody@example.com', password }),
    await enter({ email: 'no email', password }),
    await enter({ email, password: '' }),
  ];
  for (const { status, body, headers } of answers) {
    t.equal(status, 401);
    t.strictSame(body, { error: 'The email, the password or the code is wrong.', code: 'sign_in.refused' });
    t.equal(headers.get('set-cookie'), null);
  }
});

t.test('400: fields that are unknown or missing are named', async (t) => {
  t.match((await enter({ email, password, admin: true })).body, { error: 'There is no field /admin here.' });
  t.equal((await enter({ email })).status, 400);
});

t.test('403: another site cannot sign anybody in or out', async (t) => {
  const refused = [
    await enter({ email, password }, { 'sec-fetch-site': 'cross-site' }),
    await enter({ email, password }, { 'sec-fetch-site': 'same-site' }),
    await enter({ email, password }, { origin: 'https://evil.example' }),
    await enter({ email, password }, { cookie: 'any=1' }),
  ];
  t.same(
    refused.map(({ status }) => status),
    [403, 403, 403, 403],
  );
  t.equal((await enter({ email, password }, { origin: service.url })).status, 200);
  const { headers } = await enter({ email, password });
  const { cookie } = headersOf(tokenOf(headers));
  t.equal((await send('DELETE', '/api/v1/session', undefined, { cookie })).status, 403);
});

t.test('429: after ten failures of a client, with the seconds to wait', async (t) => {
  const client = newClient();
  for (let n = 0; n < 10; n += 1) await enter({ email: `u${n}@example.com`, password: 'x' }, client);
  const { status, headers, body } = await enter({ email, password }, client);
  t.equal(status, 429);
  t.match(body, { error: 'Too many failed sign-ins; wait and retry.', code: 'sign_in.too_many' });
  const seconds = Number(headers.get('retry-after'));
  t.ok(seconds > 800 && seconds <= 900, String(seconds));
  t.equal((await enter({ email, password })).status, 200, 'others still sign in');
});

t.test('sessions are listed, and end one by one', async (t) => {
  const person = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const other = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const list = await send('GET', '/api/v1/sessions', undefined, person.headers);
  t.match(list.body, { items: [{ isCurrent: true, address: '127.0.0.1' }], nextCursor: null });
  const [{ id } = { id: '' }] = (list.body as { items: { id: string }[] }).items;
  const end = (headers: Headers) => send('DELETE', `/api/v1/sessions/${id}`, undefined, headers);
  t.equal((await end(other.headers)).status, 404);
  t.equal((await end(person.headers)).status, 204);
  t.equal((await send('GET', '/api/v1/me', undefined, person.headers)).status, 401);
});

t.test('signing out takes the cookie away and ends the session', async (t) => {
  const { headers } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const out = await send('DELETE', '/api/v1/session', undefined, headers);
  t.equal(out.status, 204);
  t.match(out.headers.get('set-cookie'), /^heartline-session=; .*Max-Age=0$/);
  t.equal((await send('GET', '/api/v1/me', undefined, headers)).status, 401);
});

t.test('keys learn who they are, and have no sessions', async (t) => {
  const { key, id } = await makeKey(deps, { slug: 'acme', scope: 'manage', access: 'read', name: 'ci' });
  const authorization = `Bearer ${key}`;
  const me = await service.get('/api/v1/me', { authorization });
  t.strictSame(me.body, {
    caller: { type: 'key', id, name: 'ci' },
    admin: false,
    pages: [
      {
        slug: 'acme',
        name: 'acme',
        role: null,
        permissions: ['telemetry.read'],
        alertThresholdPercent: null,
      },
    ],
  });
  t.equal((await service.get('/api/v1/sessions', { authorization })).status, 403);
  t.equal((await service.get('/api/v1/me')).status, 401);
});

t.test('an admin has every page', async (t) => {
  const { headers } = await signInAs(deps, 'admin');
  const { body } = await send('GET', '/api/v1/me', undefined, headers);
  t.match(body, {
    admin: true,
    pages: [
      { slug: 'acme', role: null },
      { slug: 'other', role: null },
    ],
  });
});

t.test('a person changes name and language, and nothing else', async (t) => {
  const person = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const patch = (body: object, headers: Headers = {}) =>
    send('PATCH', '/api/v1/me', body, { ...person.headers, ...headers });
  const me = await send('GET', '/api/v1/me', undefined, person.headers);
  const tag = me.headers.get('etag') ?? '';
  const changed = await patch({ name: 'Grace', language: 'PT-br' }, { 'if-match': tag });
  t.equal(changed.status, 200, JSON.stringify(changed.body));
  t.match(changed.body, { caller: { name: 'Grace', language: 'pt-BR' } });
  const second = await send('GET', '/api/v1/me', undefined, person.headers);
  t.same(second.body, changed.body);
  const known = { 'if-match': second.headers.get('etag') ?? '' };
  t.match(await patch({ language: null }, known), { status: 200, body: { caller: { language: null } } });
  t.equal((await patch({ language: 'de' }, known)).status, 412, 'the tag covers the language');
  t.equal((await patch({ language: 'pt-BR' })).status, 200);
  t.equal((await patch({ name: 'Late' }, { 'if-match': tag })).status, 412);
  for (const field of ['admin', 'isAdmin', 'role', 'pageId', 'email', 'disabled']) {
    t.equal((await patch({ [field]: true })).status, 400, field);
  }
  t.equal((await patch({ language: '!' })).status, 400);
  const [row] = await deps.sql`select name, language, is_admin as admin from users where id = ${person.id}`;
  t.same(row, { name: 'Grace', language: 'pt-BR', admin: false });
});

t.test('a new password ends the other sessions', async (t) => {
  const bob = { email: 'bob@example.com', password };
  await createUser(people, { ...bob, name: 'Bob' });
  const [mine, other] = [await enter(bob), await enter(bob)].map(({ headers }) =>
    headersOf(tokenOf(headers)),
  );
  const next = 'eleven quiet foxes';
  const change = (body: object) => send('POST', '/api/v1/me/password', body, mine);
  const proof = await change({ currentPassword: 'wrong', password: next });
  t.match(proof, { status: 403, body: { code: 'password.wrong' } });
  for (const [wanted, code] of [
    ['short', 'password.length'],
    ['password1234', 'password.common'],
    ['bob@example.com', 'password.own_data'],
  ] as const) {
    const refused = await change({ currentPassword: password, password: wanted });
    t.match(refused, { status: 400, body: { code, field: '/password' } });
  }
  t.equal((await change({ currentPassword: password, password: next })).status, 204);
  t.equal((await send('GET', '/api/v1/me', undefined, mine)).status, 200);
  t.equal((await send('GET', '/api/v1/me', undefined, other)).status, 401);
});

t.test('an authenticator app is set up, asked for and removed', async (t) => {
  const eve = { email: 'eve@example.com', password };
  await createUser(people, { ...eve, name: 'Eve' });
  const headers = headersOf(tokenOf((await enter(eve)).headers));
  const other = headersOf(tokenOf((await enter(eve)).headers));
  t.equal((await send('POST', '/api/v1/me/totp', {}, headers)).status, 403, 'without the password');
  t.equal((await send('POST', '/api/v1/me/totp', { password: 'wrong' }, headers)).status, 403);
  const begun = await send('POST', '/api/v1/me/totp', { password }, headers);
  t.equal(begun.status, 200, JSON.stringify(begun.body));
  t.match(begun.body, { uri: /^otpauth:/, svg: /^<svg/ });
  const { secret } = begun.body as { secret: string };
  const codeAt = (away: number) => totpCode(secret, Date.now() + away * 30_000);
  t.equal((await send('POST', '/api/v1/me/totp', { code: 'x' }, headers)).status, 400);
  const confirmed = await send('POST', '/api/v1/me/totp', { code: codeAt(0) }, headers);
  t.equal((confirmed.body as { recoveryCodes: string[] }).recoveryCodes.length, 10);
  t.equal((await send('POST', '/api/v1/me/totp', { password }, headers)).status, 409);
  t.equal((await send('GET', '/api/v1/me', undefined, other)).status, 401, 'the other session ended');
  const asked = await enter(eve);
  t.equal(asked.status, 401);
  t.match(asked.body, { error: /also needs a code/ });
  t.equal((await enter({ ...eve, code: codeAt(1) })).status, 200);
  const [, code = ''] = (confirmed.body as { recoveryCodes: string[] }).recoveryCodes;
  t.equal((await send('DELETE', '/api/v1/me/totp', { code }, headers)).status, 403);
  const wrong = await send('DELETE', '/api/v1/me/totp', { password, code: 'none' }, headers);
  t.match(wrong, { status: 403, body: { code: 'totp.code_wrong' } });
  t.equal((await send('DELETE', '/api/v1/me/totp', { password, code }, headers)).status, 204);
  t.equal((await enter(eve)).status, 200);
});

t.test('429: made-up sessions end at 100 a minute for a network, and others go on', async (t) => {
  const from = { 'x-forwarded-for': '198.51.100.77' };
  const known = { ...headersOf(tokenOf((await enter({ email, password })).headers)), ...from };
  t.equal((await send('GET', '/api/v1/me', undefined, known)).status, 200);
  const madeUp = (n: number) => ({ ...headersOf(String(n).padStart(43, '0')), ...from });
  for (let n = 0; n <= 100; n += 1) {
    t.equal((await send('GET', '/api/v1/me', undefined, madeUp(n))).status, 401);
  }
  const refused = await send('GET', '/api/v1/me', undefined, madeUp(101));
  t.equal(refused.status, 429);
  t.match(refused.headers.get('retry-after'), /^\d+$/);
  t.equal((await send('GET', '/api/v1/me', undefined, known)).status, 200, 'a session that was found before');
  const elsewhere = { ...madeUp(102), 'x-forwarded-for': '198.51.100.78' };
  t.equal((await send('GET', '/api/v1/me', undefined, elsewhere)).status, 401);
});

import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeManageKeys } from '../support/pages.js';
import { signInAs } from '../support/people.js';
import { startTestService, withoutJobs } from '../support/service.js';

/** Tries the attacks on the management API that docs/security.md lists. */
const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const page = '/api/v1/pages/acme';
const owner = await signInAs(deps, { slug: 'acme', role: 'owner' });
const viewer = await signInAs(deps, { slug: 'acme', role: 'viewer' });
const { write: key, other: otherKey } = await makeManageKeys(deps);
const { cookie } = owner.headers;

const call = (method: string, path: string, headers: object, body?: unknown) =>
  service.post(path, body, { method, key: null, headers: { ...headers } });
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const query = (name: string) => ({ name, sql: 'SELECT 1' });

t.test('a change that another site makes a browser send is refused', async (t) => {
  const origins = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: service.url },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${service.url}.evil.example` },
  ];
  for (const headers of origins) {
    const answer = await call('POST', `${page}/queries`, { cookie, ...headers }, query('crossed'));
    t.equal(answer.status, 403, JSON.stringify(headers));
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      t.equal((await call(method, `${page}/keys/x`, { cookie, ...headers })).status >= 400, true);
  }
  const own = await call('POST', `${page}/queries`, { cookie, origin: service.url }, query('own'));
  t.equal(own.status, 201);
  const form = {
    cookie,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'cross-site',
  };
  t.equal((await call('POST', `${page}/queries`, form, 'name=a&sql=b')).status, 403);
  const found = await deps.sql`select name from queries where name = 'crossed'`;
  t.equal(found.length, 0, 'and nothing was changed');
});

t.test('no answer lets scripts of other sites read it', async (t) => {
  const headers = { cookie, origin: 'https://evil.example' };
  const answer = await call('GET', `${page}/queries`, headers);
  t.equal(answer.headers.get('access-control-allow-origin'), null);
  t.equal(answer.headers.get('access-control-allow-credentials'), null);
});

t.test('fields that the caller may not set are refused by their name', async (t) => {
  const fields = ['role', 'pageId', 'page_id', 'admin', 'isAdmin', 'id', 'createdBy', 'ownerId', '__proto__'];
  for (const field of fields) {
    for (const [path, body] of [
      ['keys', '"scope":"read"'],
      ['queries', '"name":"x","sql":"y"'],
      ['webhooks', '"url":"https://example.com/"'],
      ['incidents', '"title":"x","summary":"y"'],
    ]) {
      const answer = await call('POST', `${page}/${path}`, owner.headers, `{${body},"${field}":"admin"}`);
      t.equal(answer.status, 400, `${path} ${field}`);
    }
  }
  const me = await call('PATCH', '/api/v1/me', viewer.headers, { admin: true });
  t.equal(me.status, 400);
  const [user] = await deps.sql`select is_admin from users where id = ${viewer.id}`;
  t.equal(user?.['is_admin'], false);
});

t.test('a cursor works for its list, its page and its reader only', async (t) => {
  for (const name of ['one', 'two']) await call('POST', `${page}/keys`, bearer(key), { scope: 'read', name });
  const { body } = await call('GET', `${page}/keys?limit=1`, bearer(key));
  const { nextCursor } = body as { nextCursor: string };
  const of = (path: string, headers: object) => call('GET', `${path}?cursor=${nextCursor}`, headers);
  t.equal((await of(`${page}/keys`, bearer(key))).status, 200);
  t.equal((await of('/api/v1/pages/other/keys', bearer(otherKey))).status, 400);
  t.equal((await of(`${page}/queries`, bearer(key))).status, 400);
  t.equal((await of(`${page}/webhooks`, bearer(key))).status, 400);
  const turned = `${nextCursor.slice(0, -2)}${nextCursor.endsWith('AA') ? 'BB' : 'AA'}`;
  t.equal((await call('GET', `${page}/keys?cursor=${turned}`, bearer(key))).status, 400);
});

t.test('a session that somebody else chose is none', async (t) => {
  const chosen = 'A'.repeat(43);
  for (const name of ['heartline-session', '__Host-heartline']) {
    const answer = await call('GET', '/api/v1/me', { cookie: `${name}=${chosen}` });
    t.equal(answer.status, 401);
    t.equal(answer.headers.get('set-cookie'), null, 'and is not taken over');
  }
});

t.test('an invalid key does not fall back to the session beside it', async (t) => {
  const headers = { ...owner.headers, ...bearer(`key_manage_${'A'.repeat(43)}`) };
  t.equal((await call('GET', `${page}/keys`, headers)).status, 401);
});

t.test('a key does not raise itself', async (t) => {
  for (const scope of ['manage', 'admin'])
    t.not((await call('POST', `${page}/keys`, bearer(key), { scope })).status, 201, scope);
  const { body } = await call('GET', `${page}/keys`, owner.headers);
  const own = (body as { items: { id: string; scope: string }[] }).items.find(
    ({ scope }) => scope === 'manage',
  );
  t.equal((await call('DELETE', `${page}/keys/${own?.id}`, bearer(key))).status, 403);
  t.equal((await call('GET', `${page}/people`, bearer(key))).status, 403);
  t.equal((await call('GET', '/api/v1/sessions', bearer(key))).status, 403);
});

t.test('names put nothing into headers', async (t) => {
  const name = 'a\r\nset-cookie: x=y';
  t.equal((await call('POST', `${page}/queries`, owner.headers, query(name))).status, 400);
  t.equal((await call('POST', `${page}/keys`, owner.headers, { scope: 'read', name })).status, 400);
  const answer = await call('GET', '/api/v1/pages/a%0d%0aset-cookie:%20x=y/keys', owner.headers);
  t.equal(answer.status, 404);
  t.equal(answer.headers.get('set-cookie'), null);
});

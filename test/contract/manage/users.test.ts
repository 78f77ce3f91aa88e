import t from 'tap';
import { createKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { makeKey } from '../../support/pages.js';
import { makeUser, signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const admin = await signInAs(deps, 'admin');
const owner = await signInAs(deps, { slug: 'acme', role: 'owner' });

type Headers = Record<string, string>;
const send = (method: string, path: string, body?: unknown, headers: Headers = admin.headers) =>
  service.post(path, body, { method, key: null, headers });
const user = (id: string) => `/api/v1/users/${id}`;

t.test('200: admins and their keys list everybody', async (t) => {
  const { key } = await createKey({ ...deps, by: testActor }, { pageId: null, scope: 'admin' });
  const list = await service.get('/api/v1/users?limit=1', { authorization: `Bearer ${key}` });
  t.equal(list.status, 200, JSON.stringify(list.body));
  const { items, nextCursor } = list.body as { items: object[]; nextCursor: string };
  t.match(items, [{ email: owner.email, admin: false, disabled: false, hasTotp: false }]);
  const rest = await send('GET', `/api/v1/users?cursor=${nextCursor}`);
  t.match(rest.body, { items: [{ email: admin.email, admin: true }], nextCursor: null });
});

t.test('200, 304: one person is read, and the tag changes the person', async (t) => {
  const person = await makeUser(deps);
  const got = await send('GET', user(person.id));
  t.match(got, { status: 200, body: { id: person.id, email: person.email, admin: false } });
  const tag = got.headers.get('etag') ?? '';
  const same = await send('GET', user(person.id), undefined, { ...admin.headers, 'if-none-match': tag });
  t.equal(same.status, 304);
  const headers = { ...admin.headers, 'if-match': tag };
  t.equal((await send('PATCH', user(person.id), { name: 'Joan' }, headers)).status, 200);
  t.equal((await send('PATCH', user(person.id), { name: 'Late' }, headers)).status, 412);
  t.equal((await send('GET', user('x'))).status, 404);
  t.equal((await send('GET', user(person.id), undefined, owner.headers)).status, 403);
  await send('DELETE', user(person.id));
});

t.test('401, 403: nobody else does', async (t) => {
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
  t.equal((await service.get('/api/v1/users')).status, 401);
  t.equal((await service.get('/api/v1/users', { authorization: `Bearer ${key}` })).status, 403);
  t.equal((await send('GET', '/api/v1/users', undefined, owner.headers)).status, 403);
  t.equal((await send('PATCH', user(owner.id), { admin: true }, owner.headers)).status, 403);
  t.equal((await send('DELETE', user(admin.id), undefined, owner.headers)).status, 403);
});

t.test('a person is renamed, promoted and disabled, and out at once', async (t) => {
  const person = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const first = await send('PATCH', user(person.id), { name: 'Grace' });
  t.equal(first.status, 200, JSON.stringify(first.body));
  const tag = first.headers.get('etag') ?? '';
  t.match(
    (await send('PATCH', user(person.id), { admin: true }, { ...admin.headers, 'if-match': tag })).body,
    {
      name: 'Grace',
      admin: true,
    },
  );
  const stale = await send('PATCH', user(person.id), { name: 'Late' }, { ...admin.headers, 'if-match': tag });
  t.equal(stale.status, 412);
  t.match((await send('PATCH', user(person.id), { disabled: true })).body, { disabled: true });
  t.equal((await send('GET', '/api/v1/me', undefined, person.headers)).status, 401);
  t.same((await send('PATCH', user(person.id), { disabled: true })).status, 200, 'again');
  const rows = await deps.sql<{ action: string }[]>`
    select action from audit_log where target_id = ${person.id} and actor_id = ${admin.id} order by at, id`;
  t.same(
    rows.map(({ action }) => action),
    ['user.update', 'user.update', 'user.disable'],
  );
});

t.test('400: fields that are not to be changed here', async (t) => {
  for (const field of ['email', 'password', 'id', 'hasTotp', 'role']) {
    t.equal((await send('PATCH', user(owner.id), { [field]: 'x' })).status, 400, field);
  }
  t.equal((await send('PATCH', user(owner.id), { name: 'a\nb' })).status, 400);
});

t.test('404: unknown ids', async (t) => {
  for (const id of ['x', '00000000-0000-7000-8000-000000000000']) {
    t.equal((await send('PATCH', user(id), { name: 'x' })).status, 404);
    t.equal((await send('DELETE', user(id))).status, 404);
  }
});

t.test('409: the last admin stays', async (t) => {
  await deps.sql`update users set is_admin = false where id <> ${admin.id}`;
  t.equal((await send('PATCH', user(admin.id), { admin: false })).status, 409);
  t.equal((await send('PATCH', user(admin.id), { disabled: true })).status, 409);
  t.equal((await send('DELETE', user(admin.id))).status, 409);
});

t.test('204: a deleted person is gone', async (t) => {
  const { id } = await makeUser(deps);
  t.equal((await send('DELETE', user(id), undefined, { ...admin.headers, 'if-match': '"x"' })).status, 412);
  t.equal((await send('DELETE', user(id))).status, 204);
  t.equal((await send('DELETE', user(id))).status, 404);
});

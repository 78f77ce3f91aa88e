import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const { write: manageKey, other: otherKey } = await makeManageKeys(deps);
const authorization = `Bearer ${manageKey}`;
const keys = '/api/v1/pages/acme/keys';

const send = (method: string, path: string, body?: unknown, key = manageKey) =>
  service.post(path, body, { method, key });

t.test('201: a key is created, shown once and works', async (t) => {
  const { status, body, headers } = await send('POST', keys, { scope: 'read', name: 'grafana' });
  t.equal(status, 201, JSON.stringify(body));
  t.match(body, { scope: 'read', name: 'grafana', access: null, createdBy: { type: 'key' } });
  t.match(headers.get('location'), /^\/api\/v1\/pages\/acme\/keys\/[0-9a-f-]{36}$/);
  const { key } = body as { key: string };
  const read = await service.get('/api/v1/analytics/reporters', { authorization: `Bearer ${key}` });
  t.equal(read.status, 200);
  const list = await service.get(keys, { authorization });
  t.notOk(JSON.stringify(list.body).includes(key));
});

t.test('400: an unknown field is named', async (t) => {
  const { status, body } = await send('POST', keys, { scope: 'read', pageId: service.otherPageId });
  t.equal(status, 400);
  t.match(body, { error: 'There is no field /pageId here.' });
});

t.test('401: without credentials', async (t) => {
  t.equal((await service.get(keys)).status, 401);
});

t.test('403: a key makes no manage key', async (t) => {
  t.equal((await send('POST', keys, { scope: 'manage' })).status, 403);
});

t.test('404: another page is not there', async (t) => {
  const other = await send('GET', keys, undefined, otherKey);
  const none = await send('GET', '/api/v1/pages/none/keys', undefined, otherKey);
  t.same([other.status, other.body], [none.status, none.body]);
  t.equal(other.status, 404);
});

t.test('lists go on at their cursor, which works for no other page', async (t) => {
  for (const name of ['one', 'two', 'three']) await send('POST', keys, { scope: 'ingest', name });
  const first = await service.get(`${keys}?limit=2`, { authorization });
  const { items, nextCursor } = first.body as { items: { name: string }[]; nextCursor: string };
  t.strictSame(
    items.map(({ name }) => name),
    ['three', 'two'],
  );
  const second = await service.get(`${keys}?limit=1&cursor=${nextCursor}`, { authorization });
  t.match(second.body, { items: [{ name: 'one' }] });
  const path = `/api/v1/pages/other/keys?cursor=${nextCursor}`;
  t.equal((await send('GET', path, undefined, otherKey)).status, 400);
});

t.test('200, 304: one key is read without itself, and its tag changes it', async (t) => {
  const { body, headers: created } = await send('POST', keys, { scope: 'ingest', name: 'one' });
  const { key: _, ...shown } = body as { id: string; key: string };
  const path = `${keys}/${shown.id}`;
  const got = await service.get(path, { authorization });
  t.equal(got.status, 200, JSON.stringify(got.body));
  t.strictSame(got.body, shown);
  const tag = got.headers.get('etag') ?? '';
  t.equal(created.get('etag'), tag, 'the answer of POST has it, whatever secret is beside it');
  t.equal(created.get('cache-control'), 'no-store');
  t.equal((await service.get(path, { authorization, 'if-none-match': tag })).status, 304);
  const headers = { 'if-match': tag };
  const renamed = await service.post(path, { name: 'two' }, { method: 'PATCH', key: manageKey, headers });
  t.match(renamed, { status: 200, body: { name: 'two' } });
  t.match((await service.get(path, { authorization })).body, { name: 'two' });
  t.equal((await send('GET', `${keys}/x`)).status, 404);
  t.equal((await send('GET', path.replace('acme', 'other'), undefined, otherKey)).status, 404);
});

t.test('412: a stale If-Match changes nothing', async (t) => {
  const { body } = await send('POST', keys, { scope: 'ingest', name: 'before' });
  const path = `${keys}/${(body as { id: string }).id}`;
  const patch = (name: string, tag: string) =>
    service.post(path, { name }, { method: 'PATCH', key: manageKey, headers: { 'if-match': tag } });
  const changed = await patch('after', '*');
  t.equal(changed.status, 200);
  const tag = changed.headers.get('etag') ?? '';
  t.equal((await patch('again', tag)).status, 200);
  t.equal((await patch('late', tag)).status, 412);
});

t.test('204: a revoked key is gone, and the log says who did it', async (t) => {
  const { body } = await send('POST', keys, { scope: 'ingest', name: 'short' });
  const { id } = body as { id: string };
  t.equal((await send('DELETE', `${keys}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${keys}/${id}`)).status, 404);
  const rows = await deps.sql`select action, actor_type from audit_log where target_id = ${id} order by id`;
  t.same(
    [...rows],
    [
      { action: 'key.create', actor_type: 'key' },
      { action: 'key.revoke', actor_type: 'key' },
    ],
  );
});

t.test('409: a page has at most 500 keys that are not revoked', async (t) => {
  await deps.sql`
    insert into keys (id, page_id, scope, secret_hash, display_prefix, created_at)
    select gen_random_uuid(), ${service.otherPageId}, 'read', sha256(convert_to('limit ' || n, 'UTF8')), 'key_read_', now()
    from generate_series(1, 500 - (
      select count(*)::integer from keys where page_id = ${service.otherPageId} and revoked_at is null)) as n`;
  const path = '/api/v1/pages/other/keys';
  const refused = await send('POST', path, { scope: 'read' }, otherKey);
  t.match(refused, { status: 409, body: { error: /500 keys that are not revoked/ } });
  const [one] = await deps.sql<{ id: string }[]>`
    select id from keys where page_id = ${service.otherPageId} and display_prefix = 'key_read_' limit 1`;
  t.equal((await send('DELETE', `${path}/${one?.id.toUpperCase()}`, undefined, otherKey)).status, 204);
  t.equal((await send('POST', path, { scope: 'read' }, otherKey)).status, 201);
  t.equal((await send('POST', keys, { scope: 'read' })).status, 201, 'other pages have their own limit');
  t.equal((await send('DELETE', `${keys}/no-id`)).status, 404);
});

import t from 'tap';
import { queryLimits } from '../../../contract/manage/queries.js';
import { systemClock } from '../../../lib/clock.js';
import { newId } from '../../../lib/ids.js';
import { makeManageKeys } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keys = await makeManageKeys(deps);
const key = bearer(keys.write);
const readKey = bearer(keys.read);
const otherKey = bearer(keys.other);
const { headers: viewer } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
const { headers: editor } = await signInAs(deps, { slug: 'acme', role: 'editor' });

type Saved = { id: string; name: string; isShared: boolean };
const queries = '/api/v1/pages/acme/queries';
const send = async (method: string, path: string, headers: object, sent?: unknown) => {
  const {
    status,
    body,
    headers: got,
  } = await service.post(path, sent, {
    ...{ method, key: null, headers: { ...headers } },
  });
  return { status, body: body as Saved & { error?: string; items?: Saved[]; nextCursor?: string }, got };
};
const save = (name: string, headers: object, fields: object = {}) =>
  send('POST', queries, headers, { name, sql: 'SELECT 1', ...fields });

t.test('201: a person saves a query that nobody else sees', async (t) => {
  const { status, body, got } = await save('mine', viewer);
  t.equal(status, 201);
  t.match(body, { name: 'mine', sql: 'SELECT 1', isShared: false });
  const path = `${queries}/${body.id}`;
  t.equal(got.get('location'), path);
  t.equal((await send('GET', path, viewer)).status, 200);
  for (const other of [editor, key, readKey]) {
    t.equal((await send('GET', path, other)).status, 404);
    t.equal((await send('DELETE', path, other)).status, 404);
    t.equal((await send('PUT', path, other, { name: 'a', sql: 'b', isShared: true })).status, 404);
    t.notOk((await send('GET', queries, other)).body.items?.some(({ id }) => id === body.id));
  }
  const rows = await deps.sql`select action, after from audit_log where target_id = ${body.id}`;
  t.strictSame([...rows], [{ action: 'query.create', after: { name: 'mine', isShared: false } }]);
});

t.test('a shared query needs the permission page.write, and everybody sees it', async (t) => {
  t.equal((await save('ours', viewer, { isShared: true })).status, 403);
  const { status, body } = await save('ours', editor, { isShared: true });
  t.equal(status, 201);
  const path = `${queries}/${body.id}`;
  for (const one of [viewer, key, readKey]) t.equal((await send('GET', path, one)).status, 200);
  for (const one of [viewer, readKey]) {
    t.equal((await send('PUT', path, one, { name: 'x', sql: 'y', isShared: true })).status, 403);
    t.equal((await send('DELETE', path, one)).status, 403);
  }
  t.equal((await send('GET', `/api/v1/pages/other/queries/${body.id}`, otherKey)).status, 404);
  t.equal((await send('DELETE', `/api/v1/pages/other/queries/${body.id}`, otherKey)).status, 404);
});

t.test('a key saves shared queries only', async (t) => {
  t.match(await save('by a key', key), { status: 201, body: { isShared: true } });
  t.equal((await save('own of a key', key, { isShared: false })).status, 403);
  t.equal((await save('by a key that reads', readKey)).status, 403);
});

t.test(
  '200: a query is replaced; the same again writes no row, and a stale If-Match changes nothing',
  async (t) => {
    const { body } = await save('first', editor);
    const path = `${queries}/${body.id}`;
    const tag = (await send('GET', path, editor)).got.get('etag') ?? '';
    const put = (fields: object, match = '*') =>
      send('PUT', path, { ...editor, 'if-match': match }, { name: 'first', sql: 'SELECT 1', ...fields });
    t.equal((await put({}, tag)).status, 200);
    t.match(await put({ sql: 'SELECT 2' }, tag), { status: 200, body: { sql: 'SELECT 2' } });
    t.equal((await put({ sql: 'SELECT 3' }, tag)).status, 412);
    t.match(await put({ sql: 'SELECT 2', isShared: true }), { status: 200, body: { isShared: true } });
    t.equal((await send('GET', path, viewer)).status, 200);
    t.match(await put({ sql: 'SELECT 4' }), { status: 200, body: { isShared: false } });
    t.equal((await send('GET', path, viewer)).status, 404);
    const rows = await deps.sql`
    select before, after from audit_log where target_id = ${body.id} and action = 'query.update' order by id`;
    t.strictSame(
      [...rows],
      [
        { before: { sqlChanged: null }, after: { sqlChanged: true } },
        { before: { isShared: false, sql: null }, after: { isShared: true, sql: 'SELECT 2' } },
        {
          before: { isShared: true, sql: 'SELECT 2', sqlChanged: null },
          after: { isShared: false, sql: null, sqlChanged: true },
        },
      ],
    );
    t.equal(
      (
        await send('GET', path, {
          ...editor,
          'if-none-match': (await send('GET', path, editor)).got.get('etag'),
        })
      ).status,
      304,
    );
  },
);

t.test('204: a deleted query is gone', async (t) => {
  const { body } = await save('gone', viewer);
  const path = `${queries}/${body.id}`;
  t.equal((await send('DELETE', path, viewer)).status, 204);
  t.equal((await send('DELETE', path, viewer)).status, 404);
  t.equal((await send('GET', `${queries}/no-id`, viewer)).status, 404);
});

t.test('200: a query keeps a stored name that is no line', async (t) => {
  const { body } = await save('old', viewer);
  const name = 'a\u202eb';
  await deps.sql`update queries set name = ${name} where id = ${body.id}`;
  const path = `${queries}/${body.id}`;
  t.match(await send('PUT', path, viewer, { name, sql: 'SELECT 2' }), { status: 200, body: { name } });
  t.equal((await send('PUT', path, viewer, { name: 'b\u202ea', sql: 'SELECT 2' })).status, 400);
  t.equal((await send('DELETE', path, viewer)).status, 204);
});

t.test('400: unknown fields, blank names, names in two lines, and a NUL', async (t) => {
  const wrong = [{ pageId: 'x' }, { ownerId: newId(0) }, { name: ' ' }, { name: 'a\nb' }, { sql: 'a\0' }];
  for (const fields of wrong)
    t.equal((await save('named', viewer, fields)).status, 400, JSON.stringify(fields));
  t.match(await save('named', viewer, { ownerId: 'x' }), {
    body: { error: 'There is no field /ownerId here.' },
  });
});

t.test('409: a name is taken once per person, and once among shared ones', async (t) => {
  t.equal((await save('taken', viewer)).status, 201);
  t.equal((await save(' taken ', viewer)).status, 409);
  t.equal((await save('taken', editor)).status, 201);
  t.equal((await save('taken', key)).status, 201);
  t.equal((await save('taken', editor, { isShared: true })).status, 409);
  const two = await Promise.all([save('raced', viewer), save('raced', viewer)]);
  t.strictSame(two.map(({ status }) => status).sort(), [201, 409]);
});

t.test('lists go on at their cursor, which works for nobody else', async (t) => {
  const first = await send('GET', `${queries}?limit=1`, viewer);
  const { nextCursor = '', items } = first.body;
  const second = await send('GET', `${queries}?limit=1&cursor=${nextCursor}`, viewer);
  t.equal(second.status, 200);
  t.not(second.body.items?.[0]?.id, items?.[0]?.id);
  t.equal((await send('GET', `${queries}?cursor=${nextCursor}`, editor)).status, 400);
});

t.test('409: as many as there may be', async (t) => {
  const { headers, id } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const rows = Array.from({ length: queryLimits.perOwner }, (_, index) => ({
    ...{ id: newId(index), page_id: service.pageId, owner_id: id, name: `n${index}`, sql: '' },
    ...{ created_at: new Date(), updated_at: new Date() },
  }));
  await deps.sql`insert into queries ${deps.sql(rows)}`;
  t.match(await save('one more', headers), {
    status: 409,
    body: { error: 'You have 200 queries here, which is the most; delete one first.' },
  });
});

import t from 'tap';
import { observationLimits } from '../../../contract/observations.js';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { write: key, read: readKey, other: otherKey } = await makeManageKeys(deps);
const connections = '/api/v1/pages/acme/connections';
const send = (method: string, path: string, body?: unknown, as = key) =>
  service.post(path, body, { method, key: as });

t.test('201: a connection is saved, listed, and deleted once', async (t) => {
  const created = await send('POST', connections, { engine: 'mysql', name: 'main' });
  t.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body as { id: string };
  t.equal(created.headers.get('location'), `${connections}/${id}`);
  await send('POST', connections, { engine: 'mongodb', name: 'second' });
  const first = (await send('GET', `${connections}?limit=1`)).body as { nextCursor: string };
  t.match(first, { items: [{ engine: 'mongodb', name: 'second' }] });
  t.match((await send('GET', `${connections}?cursor=${first.nextCursor}`)).body, {
    items: [created.body],
    nextCursor: null,
  });
  t.equal((await send('DELETE', `${connections}/${id}`, undefined, otherKey)).status, 404);
  t.equal(
    (await send('DELETE', `${connections.replace('acme', 'other')}/${id}`, undefined, otherKey)).status,
    404,
  );
  t.equal((await send('DELETE', `${connections}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${connections}/${id}`)).status, 404);
  t.equal((await send('DELETE', `${connections}/main`)).status, 404);
  const rows = await sql`select action, before, after from audit_log where target_id = ${id} order by at, id`;
  const fields = { engine: 'mysql', name: 'main' };
  t.same(
    [...rows],
    [
      { action: 'connection.create', before: null, after: fields },
      { action: 'connection.delete', before: fields, after: null },
    ],
  );
});

t.test('400, 403, 409: what is not taken', async (t) => {
  const post = async (body: object, as = key) => (await send('POST', connections, body, as)).status;
  t.equal(await post({ engine: 'oracle', name: 'x' }), 400);
  t.equal(await post({ engine: 'mysql', name: 'x', pageId: service.otherPageId }), 400);
  t.equal(await post({ engine: 'mysql', name: 'mysql://me:hunter2@db' }), 400);
  t.equal(await post({ engine: 'mysql', name: 'x' }, readKey), 403);
  t.equal(await post({ engine: 'mysql', name: 'second' }), 409);
  await sql`
    insert into connections (id, page_id, engine, name, created_at)
    select gen_random_uuid(), ${service.pageId}, 'mysql', 'db ' || n, now()
    from generate_series(2, ${observationLimits.connectionsPerPage}::integer) as n`;
  t.match((await send('POST', connections, { engine: 'mysql', name: 'full' })).body, {
    error: 'The page has 200 connections, which is the most; delete one first.',
  });
});

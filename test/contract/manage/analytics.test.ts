import t from 'tap';
import { sqlTables } from '../../../contract/sql-documented.js';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys, setPage } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const { read: key, other: otherKey } = await makeManageKeys(deps);
const path = '/api/v1/pages/acme/analytics';
const get = (route: string, sent = key) => service.get(route, { authorization: `Bearer ${sent}` });
const runSql = (sql: string, sent = key) => service.post(`${path}/sql`, { sql }, { key: sent });

t.test('the answers are those of the routes for read keys', async (t) => {
  const events = [{ service: 'shop', endpoint: '/cart', status: 503, ms: 3, message: 'no stock' }];
  await service.post('/api/v1/events', [...events, { endpoint: '/cart' }]);
  const range = 'from=2026-01-31&to=2026-01-31';
  for (const route of [
    'reporters',
    'messages',
    'messages/groups',
    'calls?from=now-2h&to=now-1h',
    `requests?${range}`,
    `rejections?${range}`,
  ]) {
    const [managed, read] = [
      await get(`${path}/${route}`),
      await get(`/api/v1/analytics/${route}`, service.readKey),
    ];
    t.equal(managed.status, 200, route);
    t.equal(managed.headers.get('cache-control'), 'private, no-cache');
    // The age of a reporter grows between both.
    const [one, other] = [managed, read].map(({ body }) =>
      JSON.stringify(body).replaceAll(/"\w*(?:[aA]ge|from|to)\w*":[^,}]+/g, ''),
    );
    t.equal(one, other, route);
  }
});

t.test('400: an unknown parameter, and an unknown field', async (t) => {
  t.equal((await get(`${path}/requests?pageId=${service.otherPageId}`)).status, 400);
  const { status, body } = await service.post(`${path}/sql`, { sql: 'SELECT 1', pageId: 'x' }, { key });
  t.match({ status, body }, { status: 400, body: { error: 'There is no field /pageId here.' } });
});

t.test('SQL reads the rows of the page alone', async (t) => {
  const { status, body } = await runSql('SELECT count() AS count FROM messages');
  t.match({ status, body }, { status: 200, body: { data: [{ count: '1' }] } });
  t.match(await runSql('DROP TABLE messages'), { status: 400 });
  const other = await service.post(
    '/api/v1/pages/other/analytics/sql',
    { sql: 'SELECT count() AS count FROM messages' },
    { key: otherKey },
  );
  t.match(other.body, { data: [{ count: '0' }] });
});

t.test('the schema has what SQL may use, and a statement over all of it runs', async (t) => {
  const { status, body } = await get(`${path}/sql/schema`);
  t.equal(status, 200);
  const { tables, functions } = body as {
    tables: { name: string; comment: string; columns: { name: string; type: string; comment: string }[] }[];
    functions: string[];
  };
  t.strictSame(
    tables.map(({ name }) => name),
    [...sqlTables],
  );
  t.ok(functions.includes('quantile') && functions.length > 100);
  for (const { name, columns } of tables) {
    const list = columns.map((column) => column.name).join(', ');
    t.equal((await runSql(`SELECT ${list} FROM ${name} LIMIT 0`)).status, 200, name);
  }
});

t.test('database health: 404 while it is off for the page, then figures', async (t) => {
  t.match(await get(`${path}/database-health`), {
    status: 404,
    body: { error: 'Database health is not enabled for this page.', code: 'database_health.off' },
  });
  await setPage(deps, { slug: 'acme', databaseHealthEnabled: true });
  t.equal((await get(`${path}/database-health`)).status, 200);
});

t.test('404: for another page, the same as for one that does not exist', async (t) => {
  for (const route of [
    'requests',
    'messages/groups',
    'calls',
    'database-health/acquisitions',
    'sql/schema',
  ]) {
    const other = await get(`${path}/${route}`, otherKey);
    const none = await get(`/api/v1/pages/none/analytics/${route}`, otherKey);
    t.strictSame([other.status, other.body], [404, none.body], route);
  }
  t.equal((await runSql('SELECT 1', otherKey)).status, 404);
});

t.test('403: without the capability of the account', async (t) => {
  await setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': false } });
  for (const route of [
    'requests',
    'reporters',
    'messages',
    'messages/groups',
    'calls',
    'rejections',
    'sql/schema',
  ])
    t.equal((await get(`${path}/${route}`)).status, 403, route);
  const { status, body } = await runSql('SELECT 1');
  t.match({ status, body }, { status: 403, body: { error: /capability is not available/ } });
  t.equal((await get(`${path}/database-health`)).status, 200);
});

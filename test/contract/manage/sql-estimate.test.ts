import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { read: key, other: otherKey } = await makeManageKeys({ sql: service.stores.sql, clock: systemClock });
const estimate = (body: object, { page = 'acme', sent = key } = {}) =>
  service.post(`/api/v1/pages/${page}/analytics/sql/estimate`, body, { key: sent });

await service.post('/api/v1/events', [
  { service: 'shop', endpoint: '/cart', status: 200, ms: 3 },
  { service: 'shop', endpoint: '/orders', status: 200, ms: 4 },
]);
await service.settle();

t.test('200: the rows of the page in each table, and the bytes of the columns that are named', async (t) => {
  const { status, body } = await estimate({
    sql: 'SELECT endpoint, sum(r.requests) FROM requests_minute AS r JOIN monitors ON 1 = 1 GROUP BY endpoint',
  });
  t.equal(status, 200);
  const tables = [
    { name: 'requests_minute', rows: 2 },
    { name: 'monitors', rows: 0 },
  ];
  t.same(body, { tables, rows: 2, bytes: 2 * (20 + 8) });
});

t.test('200: only rows in the range where the statement has one', async (t) => {
  const sql =
    'SELECT sum(requests) FROM requests_minute WHERE minute >= {from:DateTime} AND minute < {to:DateTime}';
  const rowsIn = async (range: object) => (await estimate({ sql, ...range })).body;
  t.match(await rowsIn({ from: 'now-2h', to: 'now' }), { rows: 2 });
  t.match(await rowsIn({ from: 'now-9h', to: 'now-8h' }), { rows: 0, bytes: 0 });
  t.match(await estimate({ sql: 'SELECT 1 FROM numbers(10)' }), {
    status: 200,
    body: { tables: [], rows: 0 },
  });
});

t.test('the rows of another page do not count', async (t) => {
  const sql = 'SELECT * FROM requests_minute';
  t.match(await estimate({ sql }, { page: 'other', sent: otherKey }), { status: 200, body: { rows: 0 } });
  t.match(await estimate({ sql }, { sent: otherKey }), { status: 404 });
});

t.test('400: no statement, an unknown field, and a parameter without a value', async (t) => {
  t.match(await estimate({}), { status: 400 });
  t.match(await estimate({ sql: 'SELECT 1', format: 'CSV' }), { status: 400 });
  t.match(await estimate({ sql: 'SELECT 1 FROM checks WHERE at > {from:DateTime}' }), { status: 400 });
});

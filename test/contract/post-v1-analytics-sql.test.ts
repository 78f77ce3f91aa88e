import t from 'tap';
import { sqlFormats } from '../../contract/analytics/sql.js';
import { systemClock } from '../../lib/clock.js';
import { insertRequests } from '../analytics/support.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
await insertRequests(api.stores.clickhouse, api.pageId, [{ at: Date.now(), service: 'api', requests: 3 }]);
const { key: otherKey } = await makeKey(
  { sql: api.stores.sql, clock: systemClock },
  { slug: 'other', scope: 'read' },
);
const path = '/api/v1/analytics/sql';
const ask = (body: unknown, key: string | null = api.readKey) => api.post(path, body, { key });
const textOf = async (sql: string, format: string): Promise<[type: string | null, text: string]> => {
  const answer = await fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.readKey}` },
    body: JSON.stringify({ sql, format }),
  });
  return [answer.headers.get('content-type'), await answer.text()];
};
const count = 'SELECT service, sum(requests) AS n FROM requests_minute GROUP BY service';

t.test('200 with the rows of the page', async (t) => {
  t.match(await ask({ sql: count }), { status: 200, body: { data: [{ service: 'api', n: 3 }] } });
  t.match(await ask({ sql: count }, otherKey), { status: 200, body: { data: [] } });
});

t.test('200 in every format; CSV has a header', async (t) => {
  for (const [format, type] of Object.entries(sqlFormats)) {
    t.equal((await textOf(count, format))[0], type, format);
  }
  const rows = [
    [`"service","n"\n"api",3\n`, 'CSV', 'CSVWithNames'],
    ['service\tn\napi\t3\n', 'TSVWithNames'],
  ];
  for (const [text, ...formats] of [...rows, ['api\t3\n', 'TSV']]) {
    for (const format of formats) t.equal((await textOf(count, format))[1], text, format);
  }
});

t.test('200 for SHOW TABLES, DESCRIBE TABLE and SHOW CREATE TABLE', async (t) => {
  t.match(await ask({ sql: 'SHOW TABLES' }), { status: 200, body: { data: [{ name: 'requests_minute' }] } });
  t.match(await ask({ sql: 'DESCRIBE reports' }), {
    status: 200,
    body: { data: [{ name: 'page_id', type: 'UUID' }] },
  });
  t.match(await ask({ sql: 'SHOW CREATE TABLE reports' }), {
    body: { data: [{ statement: /^CREATE TABLE reports/ }] },
  });
});

t.test('400 with the place of a fault in the SQL', async (t) => {
  t.same((await ask({ sql: 'SELECT 1,\n  endpont FROM messages' })).body, {
    error: 'Unknown column `endpont` (line 2, column 3). Did you mean endpoint?',
    code: 'sql.invalid',
    position: { offset: 12, line: 2, column: 3 },
  });
  t.same(Object.keys((await ask({ sql: "SELECT toUInt8('x')" })).body as object), ['error', 'code']);
  t.match(await ask({ sql: '' }), { status: 400 });
  t.match(await ask({ sql: count, format: 'Pretty' }), { status: 400 });
});

t.test('200 with the values of parameters, and the time that the server took', async (t) => {
  const sql = `SELECT {from:DateTime} AS start, {to:DateTime} AS end, sum(requests) AS n FROM requests_minute
    WHERE minute >= {from:DateTime} AND minute < {to:DateTime}`;
  const { status, body, headers } = await ask({ sql, from: '2026-01-31', to: 'now' });
  t.match({ status, body }, { status: 200, body: { data: [{ start: '2026-01-31 00:00:00', n: 3 }] } });
  t.match(headers.get('server-timing'), /^clickhouse;dur=\d+\.\d$/);
  t.match(await ask({ sql, from: '2026-01-30T23:00:00-01:00', to: '2026-01-31' }), {
    body: { data: [{ start: '2026-01-31 00:00:00', end: '2026-02-01 00:00:00', n: 0 }] },
  });
});

t.test('400 for a parameter without a value, of another name, and for a wrong time', async (t) => {
  t.same((await ask({ sql: 'SELECT\n{from:DateTime}' })).body, {
    error: 'The parameter from has no value (line 2, column 1). Give "from" next to the statement.',
    code: 'sql.invalid',
    position: { offset: 7, line: 2, column: 1 },
  });
  t.match(await ask({ sql: 'SELECT {page:UUID}' }), { status: 400, body: { error: /no parameter page/ } });
  for (const range of [{ from: 'yesterday' }, { from: 'now', to: 'now-1h' }, { to: 5 }]) {
    t.match(await ask({ sql: 'SELECT 1', ...range }), { status: 400, body: { error: /"?from|to"?/ } });
  }
});

t.test('401 and 403 without a read key', async (t) => {
  t.match(await ask({ sql: count }, null), {
    status: 401,
    body: { error: 'Invalid or revoked API key.', code: 'key.invalid' },
  });
  t.match(await ask({ sql: count }, api.ingestKey), { status: 403 });
});

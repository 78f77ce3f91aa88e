import t from 'tap';
import { sqlFormats } from '../../contract/analytics.js';
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
    position: { offset: 12, line: 2, column: 3 },
  });
  t.same(Object.keys((await ask({ sql: "SELECT toUInt8('x')" })).body as object), ['error']);
  t.match(await ask({ sql: '' }), { status: 400 });
  t.match(await ask({ sql: count, format: 'Pretty' }), { status: 400 });
});

t.test('401 and 403 without a read key', async (t) => {
  t.match(await ask({ sql: count }, null), { status: 401, body: { error: 'Invalid or revoked API key.' } });
  t.match(await ask({ sql: count }, api.ingestKey), { status: 403 });
});

import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import type { SqlFormat } from '../../../contract/analytics/sql.js';
import { insertRequests, newPageId, openTestPageSql } from '../support.js';

const { clickhouse, pageSql } = await openTestPageSql(t);
const page = newPageId();
const hourMs = 3_600_000;
const at = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
await insertRequests(clickhouse, page, [{ at, latencyMs: [10, 20] }]);
const time = new Date(at).toISOString().replace('T', ' ').slice(0, 19);

const answer = (sql: string, format: SqlFormat) => runPageSql(pageSql, page, { sql, format });
const usual =
  'SELECT kind, minute, toDateTime64(minute, 3) AS precise, page_id, sum(requests) AS n FROM requests_minute GROUP BY ALL';

t.test('texts have names of enums, and times in UTC', async (t) => {
  const row = { kind: 'service', minute: time, precise: `${time}.000`, page_id: page, n: 2 };
  t.strictSame(JSON.parse(String(await answer(usual, 'JSON'))).data, [row]);
  t.strictSame(JSON.parse(String(await answer(usual, 'JSONEachRow'))), row);
  const names = '"kind","minute","precise","page_id","n"';
  const line = `"service","${time}","${time}.000","${page}",2`;
  for (const format of ['CSV', 'CSVWithNames'] as const) {
    t.equal(String(await answer(usual, format)), `${names}\n${line}\n`);
  }
  t.equal(String(await answer(usual, 'TSV')), `service\t${time}\t${time}.000\t${page}\t2\n`);
});

t.test('Parquet has names of enums, and timestamps', async (t) => {
  const file = (await answer(usual, 'Parquet')).toString('hex');
  const result = await clickhouse.query({
    query: `DESCRIBE format(Parquet, unhex('${file}'))`,
    format: 'JSONEachRow',
  });
  const columns = await result.json<{ name: string; type: string }>();
  t.strictSame(Object.fromEntries(columns.map(({ name, type }) => [name, type])), {
    kind: 'String',
    minute: "DateTime64(3, 'UTC')",
    precise: "DateTime64(3, 'UTC')",
    page_id: 'UUID',
    n: 'UInt64',
  });
});

t.test('Arrow is not compressed', async (t) => {
  const text = 'abc'.repeat(1_000);
  const file = await answer(`SELECT '${text}' AS text`, 'Arrow');
  t.ok(file.includes(text), 'a text is in the file as it is');
});

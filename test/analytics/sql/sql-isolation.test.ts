import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { sqlFormats } from '../../../contract/analytics/sql.js';
import { readableColumns } from '../../../contract/sql-columns.js';
import { readableTables } from '../../../contract/sql-tables.js';
import { insertPoolReports } from '../../../database-health/pool-reports/insert-pool-reports.js';
import { makePoolBlock } from '../../support/pool-blocks.js';
import { insertReports, insertRequests, newPageId, openTestPageSql, refusalOf } from '../support.js';

const { clickhouse, pageSql, rowsOf } = await openTestPageSql(t);
const [mine, theirs] = [newPageId(), newPageId()];
const at = Date.now() - 3_600_000;
/** One sample, as it stands behind a message in a block. */
const sampleOf = (at: number, message: string): string =>
  `\0[{"e":"E","n":1,"s":[[${-at},"${message}","","","","stack ${message}",[]]]}]`;
// Merged, so that the rows of both pages share parts, granules and dictionaries.
for (const [page, service] of [
  [mine, 'bWluZQ=='],
  [theirs, 'theirs-secret'],
] as const) {
  await insertRequests(clickhouse, page, [
    {
      at,
      service,
      endpoint: service,
      latencyMs: [1],
      message: `of ${service}${sampleOf(at, `of ${service}`)}`,
      version: service,
    },
  ]);
  await insertReports(clickhouse, page, { kind: 'service', service }, [at]);
  await insertPoolReports({ clickhouse }, makePoolBlock(page, [{ to: at, service }]));
}
for (const table of readableTables) {
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
}

t.test('each table shows only the rows of the page', async (t) => {
  for (const table of readableTables) {
    for (const sql of [
      `SELECT DISTINCT page_id FROM ${table}`,
      `SELECT DISTINCT page_id FROM ${table} FINAL`,
      `SELECT DISTINCT page_id FROM ${table} PREWHERE 1`,
      `SELECT DISTINCT a.page_id AS page_id FROM ${table} AS a JOIN ${table} AS b ON 1 = 1`,
      `SELECT DISTINCT page_id FROM (SELECT * FROM ${table} WHERE 1 OR page_id = '${theirs}')`,
      `WITH x AS (SELECT * FROM ${table}) SELECT page_id FROM x UNION DISTINCT SELECT page_id FROM ${table}`,
    ]) {
      t.same(await rowsOf(mine, sql), [{ page_id: mine }], sql);
    }
    t.same(await rowsOf(mine, `SELECT count() AS n FROM ${table}`), [{ n: 1 }]);
    t.same(await rowsOf(newPageId(), `SELECT count() AS n FROM ${table}`), [{ n: 0 }]);
    if (!readableColumns[table].columns.some(({ name }) => name === 'service')) continue;
    t.same(await rowsOf(mine, `SELECT count() AS n FROM ${table} WHERE service = 'theirs-secret'`), [
      { n: 0 },
    ]);
    t.same(await rowsOf(theirs, `SELECT any(service) AS s FROM ${table}`), [{ s: 'theirs-secret' }]);
  }
  const member = `SELECT ('${theirs}', 'theirs-secret') IN (SELECT page_id, service FROM reports) AS found`;
  t.same(await rowsOf(mine, member), [{ found: 0 }]);
});

t.test('each page gets its own answer to the same query', async (t) => {
  const sql = "SELECT count() AS n FROM messages WHERE latest.message = 'of theirs-secret'";
  t.same(await rowsOf(mine, sql), [{ n: 0 }]);
  t.same(await rowsOf(theirs, sql), [{ n: 1 }]);
  t.same(await rowsOf(mine, sql), [{ n: 0 }]);
});

t.test(
  'samples of failures are those of the page, and their state is in no row of all columns',
  async (t) => {
    const sql =
      'SELECT sample.message AS message, sample.stack AS stack FROM failures ARRAY JOIN samples AS sample';
    for (const [page, service] of [
      [mine, 'bWluZQ=='],
      [theirs, 'theirs-secret'],
    ] as const) {
      t.same(await rowsOf(page, sql), [{ message: `of ${service}`, stack: `stack of ${service}` }]);
      const merged = 'SELECT groupArraySortedMerge(20)(newest) AS all FROM failures';
      const all = JSON.stringify(await rowsOf(page, merged));
      t.ok(all.includes(`stack of ${service}`));
      t.notOk(all.includes(page === mine ? 'theirs-secret' : 'bWluZQ=='));
    }
    const [row] = await rowsOf(mine, 'SELECT * FROM failures');
    t.same(Object.keys(row ?? {}), [
      'page_id',
      'kind',
      'service',
      'endpoint',
      'error_type',
      'minute',
      'failures',
    ]);
  },
);

t.test('no output format shows rows of other pages', async (t) => {
  for (const format of Object.keys(sqlFormats)) {
    const sql = 'SELECT service, endpoint, lower(service) FROM requests_minute';
    const result = await runPageSql(pageSql, mine, { sql, format });
    t.ok(result.includes('bWluZQ=='), `${format} has the page's rows`);
    t.notOk(result.includes('theirs'), format);
  }
  const json = (
    await runPageSql(pageSql, mine, { sql: 'SELECT service FROM reports', format: 'JSON' })
  ).toString();
  t.notMatch(json, /rows_read/);
});

t.test('no error shows a value of another page', async (t) => {
  for (const expression of [
    'base64Decode(service)',
    'toBool(service)',
    'toUInt8(service)',
    'toDate(endpoint)',
  ]) {
    const sql = `SELECT ${expression} FROM requests_minute`;
    const refusal = await refusalOf(runPageSql(pageSql, mine, { sql, format: 'CSV' }));
    t.notMatch(refusal?.message ?? '', /theirs/, sql);
  }
});

// ClickHouse runs some functions over the whole dictionary of a LowCardinality column, the values of other pages'
// rows included, and an error there fails the query: one bit of what they store. With plain String columns the
// row filter comes first.
t.test('rows of other pages cannot make a query fail', async (t) => {
  for (const sql of [
    'SELECT base64Decode(service) AS s FROM requests_minute',
    'SELECT toString(toFixedString(service, 8)) AS s FROM requests_minute',
    "SELECT base64Decode(replaceOne(service, 'theirs-secret', '!')) AS s FROM requests_minute",
  ]) {
    t.equal((await rowsOf(mine, sql)).length, 1, sql);
  }
});

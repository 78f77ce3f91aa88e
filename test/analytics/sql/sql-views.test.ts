import fc from 'fast-check';
import t from 'tap';
import { filteredTables, grantedViews, readableViews } from '../../../contract/sql-tables.js';
import { ServiceError } from '../../../lib/service-error.js';
import { propertyOf } from '../../support/property.js';
import { newPageId, openTestPageSql, refusalOf } from '../support.js';
import { insertViewRows } from './view-rows.js';

const { clickhouse, pageSql, rowsOf } = await openTestPageSql(t);
const [mine, theirs] = [newPageId(), newPageId()];
await insertViewRows(clickhouse, mine, 'mine');
await insertViewRows(clickhouse, theirs, 'theirs-secret');
// Rows of both pages share parts, granules and dictionaries.
for (const table of ['checks', 'monitor_hours', 'monitor_days', 'copies']) {
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
}

t.test('each view shows only the rows of the page', async (t) => {
  const shapes = (view: string): string[] => [
    `SELECT DISTINCT page_id FROM ${view}`,
    `SELECT DISTINCT v.page_id AS page_id FROM ${view} AS v`,
    `SELECT DISTINCT ${view}.page_id AS page_id FROM ${view}`,
    `SELECT DISTINCT ${view}.page_id AS page_id FROM ${pageSql.database}.${view}`,
    `SELECT DISTINCT a.page_id AS page_id FROM ${view} AS a JOIN ${view} AS b ON 1 = 1`,
    `SELECT DISTINCT page_id FROM (SELECT * FROM ${view} WHERE 1 OR page_id = '${theirs}')`,
    `WITH x AS (SELECT * FROM ${view}) SELECT page_id FROM x UNION DISTINCT SELECT page_id FROM ${view}`,
  ];
  const wrong = [];
  for (const view of readableViews) {
    for (const sql of shapes(view)) {
      const rows = await rowsOf(mine, sql);
      if (JSON.stringify(rows) !== JSON.stringify([{ page_id: mine }])) wrong.push({ sql, rows });
    }
    const count = await rowsOf(mine, `SELECT count() AS n FROM ${view}`);
    const ofNobody = await rowsOf(newPageId(), `SELECT count() AS n FROM ${view}`);
    if (count[0]?.['n'] !== 1 || ofNobody[0]?.['n'] !== 0) wrong.push({ view, count, ofNobody });
  }
  t.same(wrong, []);
});

t.test('uptime stands beside traffic, and names stay those of the statement', async (t) => {
  const joined = await rowsOf(
    mine,
    `SELECT m.name AS name, round(sum(monitor_hours.up_ms) / sum(monitor_hours.observed_ms), 2) AS uptime, count(i.incident_id) AS incidents
     FROM monitor_hours JOIN monitors AS m ON m.page_id = monitor_hours.page_id LEFT JOIN incidents i ON i.page_id = m.page_id
     GROUP BY m.name`,
  );
  t.same(joined, [{ name: 'mine', uptime: 0.5, incidents: 1 }]);
  const unknown = await refusalOf(rowsOf(mine, 'SELECT naem FROM monitors'));
  t.match(unknown, { position: { line: 1, column: 8 } });
  t.notMatch(unknown?.message, /sql_|copies/);
  t.match((await refusalOf(rowsOf(mine, 'SELECT * FROM monitor')))?.message, 'Did you mean monitors?');
});

t.test('tables behind the views, and stored names, are unknown', async (t) => {
  const statements = [
    'SELECT * FROM copies',
    'WITH x AS (SELECT 1) SELECT kind, id, data FROM copies',
    'WITH x AS (SELECT 1) SELECT * FROM sql_checks',
    'SELECT * FROM monitors, sql_checks',
    'SELECT * FROM monitors, (WITH x AS (SELECT 1) SELECT * FROM copies)',
    'WITH checks AS (SELECT 1) SELECT * FROM checks',
    'SELECT * FROM (WITH checks AS (SELECT 1) SELECT * FROM checks) AS a, (SELECT count() FROM checks) AS b',
  ];
  const answered = [];
  for (const sql of statements) {
    const message = (await refusalOf(rowsOf(mine, sql)))?.message ?? 'answered';
    if (!/^There is no table |^checks is a table/.test(message)) answered.push({ sql, message });
  }
  t.same(answered, []);
  t.same(await rowsOf(mine, 'WITH m AS (SELECT count() AS n FROM monitors) SELECT n FROM m'), [{ n: 1 }]);
});

const tables = [
  ...readableViews,
  ...filteredTables,
  ...grantedViews,
  'landing',
  'pool_reports',
  'migrations',
];
const name = fc.constantFrom(...tables);
const column = fc.constantFrom(
  '*',
  'page_id',
  'data',
  'name',
  'error',
  'version',
  'count()',
  'toString(page_id)',
);
const condition = fc.constantFrom(
  '1',
  `page_id = '${theirs}'`,
  `1 OR page_id = '${theirs}'`,
  "data LIKE '%secret%'",
  "name = 'theirs-secret' OR 1",
  `page_id IN (SELECT page_id FROM copies)`,
  'NOT 0',
);
const statement = fc.oneof(
  fc
    .tuple(column, name, condition)
    .map(([what, table, where]) => `SELECT ${what} FROM ${table} WHERE ${where}`),
  fc.tuple(name, name, condition).map(([a, b, on]) => `SELECT * FROM ${a} AS a, ${b} AS b WHERE ${on}`),
  fc
    .tuple(name, name, column)
    .map(([a, b, what]) => `WITH ${a} AS (SELECT * FROM ${b}) SELECT ${what} FROM ${a}`),
  fc.tuple(name, name).map(([a, b]) => `SELECT page_id FROM ${a} UNION ALL SELECT page_id FROM ${b}`),
  fc
    .tuple(name, column)
    .map(([a, what]) => `WITH x AS (SELECT 1) SELECT ${what} FROM ${pageSql.database}.${a}`),
  fc.tuple(name, name).map(([a, b]) => `SELECT * FROM ${a} AS a LEFT JOIN ${b} AS b USING (page_id)`),
  fc
    .tuple(name, condition)
    .map(([a, on]) => `SELECT * FROM (SELECT * FROM ${a}) WHERE ${on} LIMIT 1 BY page_id`),
  fc.tuple(name, name).map(([a, b]) => `SELECT ${a}.* FROM ${a} FULL OUTER JOIN ${b} AS \`${a}\` ON 1 = 1`),
  fc
    .tuple(name, name)
    .map(([a, b]) => `SELECT (SELECT groupArray(page_id) FROM ${a}) AS x, * FROM ${b} -- FROM ${a}`),
);

t.test('no statement over the views and the tables behind them shows a row of another page', async (t) => {
  let answered = 0;
  const { numRuns, ...parameters } = propertyOf(t, { few: 100, many: 30_000 });
  await fc.assert(
    fc.asyncProperty(statement, async (sql) => {
      try {
        const shown = JSON.stringify(await rowsOf(mine, sql));
        answered += 1;
        if (shown.includes('theirs-secret') || shown.includes(theirs)) throw new Error(`${sql}: ${shown}`);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const quoted = sql.includes(theirs) || sql.includes('theirs-secret');
        if (!quoted && /theirs-secret/.test(error.message)) throw error;
      }
    }),
    { ...parameters, numRuns },
  );
  t.ok(answered > numRuns / 20, `${answered} of ${numRuns} statements were answered`);
});

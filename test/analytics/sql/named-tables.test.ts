import t from 'tap';
import { findTables } from '../../../analytics/sql/named-tables.js';
import { tokensOf } from '../../../analytics/sql/tokens.js';

/** By statement, its tables; one that it gives another name has a mark. */
const tables: Readonly<Record<string, string>> = {
  'SELECT 1': '',
  'SELECT * FROM checks': 'checks',
  'FROM checks SELECT up': 'checks',
  'SELECT c.up FROM checks AS c': 'checks*',
  'SELECT c.up FROM checks c WHERE c.up': 'checks*',
  'SELECT up FROM checks FINAL': 'checks',
  'SELECT up FROM checks PREWHERE up LIMIT 1': 'checks',
  'SELECT up FROM `checks` "c"': 'checks*',
  'SELECT up FROM heartline.checks AS c': 'checks*',
  'SELECT * FROM checks, monitors m, points WHERE a IN (b, c)': 'checks monitors* points',
  'SELECT * FROM checks JOIN monitors ON checks.id = monitors.id, points': 'checks monitors points',
  'SELECT * FROM checks AS c ANY LEFT JOIN monitors USING (id, x) ORDER BY points, alerts':
    'checks* monitors',
  'SELECT * FROM messages ARRAY JOIN checks, points': 'messages',
  'SELECT * FROM (SELECT * FROM checks) AS x, monitors': 'checks monitors',
  'SELECT * FROM ((SELECT * FROM checks) UNION ALL SELECT * FROM monitors)': 'checks monitors',
  'SELECT * FROM a WHERE id IN (SELECT id FROM monitors)': 'a monitors',
  'SELECT checks, points FROM (SELECT 1)': '',
  'SELECT extract(HOUR FROM checks), trim(BOTH x FROM points) FROM alerts': 'alerts',
  'SELECT count(*) FROM numbers(10), checks': 'checks',
  'WITH checks AS (SELECT * FROM points) SELECT * FROM checks': 'points',
  'WITH a AS (SELECT 1), RECURSIVE checks AS (SELECT 1) SELECT * FROM a, checks': '',
  'WITH 1 AS checks SELECT * FROM checks': 'checks',
  "SELECT ' FROM checks' -- FROM points": '',
  'SELECT * FROM': '',
  'SELECT * FROM checks) FROM points': 'checks',
};

t.test('names of tables are found behind FROM, JOIN and the commas between them', (t) => {
  const found = Object.keys(tables).map((sql) => [
    sql,
    findTables(tokensOf(sql))
      .map(({ token, alias }) => `${token.text}${alias === undefined ? '' : '*'}`)
      .join(' '),
  ]);
  t.same(Object.fromEntries(found), tables);
  t.end();
});

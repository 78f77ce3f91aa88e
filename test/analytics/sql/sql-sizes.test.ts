import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { newPageId, openTestPageSql, refusalOf } from '../support.js';

const { pageSql } = await openTestPageSql(t);
const page = newPageId();
const run = (sql: string) => runPageSql(pageSql, page, { sql, format: 'TSV' });

const quadratic =
  'sum(number) OVER (ORDER BY number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM numbers(9)';
/** Characters that this service could take for a text, a comment or another word, where ClickHouse does not. */
const hiddenFrames = [
  `SELECT 1 AS $a$, ${quadratic}`,
  `SELECT ‘'’, ${quadratic.replace(' FROM', ", ‘'’ FROM")}`,
  `SELECT “'”, ${quadratic.replace(' FROM', ", “'” FROM")} AS “'”`,
  `SELECT ${quadratic.replace('UNBOUNDED ', 'UNBOUNDED\u200b ')}`,
  `SELECT ${quadratic.replace('AND ', 'AND/* UNBOUNDED PRECEDING AND */')}`,
  `SELECT ${quadratic.replace('AND ', 'AND -- BETWEEN UNBOUNDED PRECEDING AND\n')}`,
];
const percentilesOf = (calls: number): string =>
  Array.from(
    { length: calls },
    (_, i) => `quantileExactWeightedArray(0.${i + 1})(range(9), range(${i}, 9 + ${i}))`,
  ).join(', ');
/** Calls that ClickHouse cannot stop, or only minutes later. */
const unstoppable = [
  'SELECT hasAny(range(90000), range(100000, 190000))',
  'SELECT hasAll(range(90000), range(90000))',
  `SELECT ${percentilesOf(11)} FROM numbers(9)`,
  `SELECT 1 FROM ${Array.from({ length: 101 }, (_, at) => `reports AS r${at}`).join()}`,
  'WITH range(90000) AS a, range(90000) AS b SELECT hasAny(a, b)',
  'SELECT hasSubstr(range(90000), range(90000))',
  'SELECT hasAny((SELECT groupArray(number) FROM numbers(900000)), range(90000))',
  'SELECT arrayCount(x -> has(range(90000), x + 100000), range(90000))',
  'SELECT arrayMap(x -> indexOf(range(90000), x), range(90000))',
  'SELECT arrayMap(x -> countEqual(range(90000), x), range(90000))',
  'SELECT mapFromArrays(range(90000), range(90000))[1]',
  'WITH (SELECT sumMap(map(number, 1)) FROM numbers(90000)) AS m SELECT arraySum(x -> m[x + 50000], range(90000))',
  'SELECT maxMapIf(map(number, 1), number > 1) FROM numbers(9)',
  'SELECT CAST(arrayZip(range(9), range(9)) AS Map(UInt64, UInt64))',
  'SELECT arrayMap(x -> toString(x) IN (arrayMap(i -> toString(i), range(9))), range(9))',
  'WITH range(9) AS r SELECT arrayFilter(x -> x IN r, range(9))',
  'SELECT arrayCount(x -> x IN `range(10000)`, range(10000)) FROM (SELECT range(10000))',
  'SELECT arrayCount(x -> x IN number, range(9)) FROM (SELECT * REPLACE (range(9) AS number) FROM numbers(1))',
  'SELECT arrayCount(x -> x IN messages, range(9)) FROM (SELECT range(9)) AS t(messages)',
  'WITH t(messages) AS (SELECT range(9)) SELECT arrayCount(x -> x IN messages, range(9)) FROM t',
  'SELECT arrayMap(x -> arrayIntersect(range(9), [x]), range(9))',
  "SELECT arrayMap(x -> position('abc', 'a', x), range(9))",
  'SELECT arrayMap(x -> indexOfAssumeSorted(range(9), x), range(9))',
  "SELECT arrayMap(x -> instr('abc', 'ij', x + 1), range(9))",
  "SELECT arrayMap(x -> substringUTF8('abc', x, 1), range(9))",
  "SELECT arrayMap(x -> leftUTF8('abc', x), range(9))",
  "SELECT arrayMap(x -> rightUTF8('abc', x), range(9))",
  "SELECT arrayMap(x -> overlayUTF8('abc', 'd', x), range(9))",
  "SELECT arrayMap(x -> substringIndexUTF8('a,b', ',', x), range(9))",
  "SELECT arrayMap(x -> regexpExtract('abc', '(b)', x), range(2))",
  "SELECT arrayMap(x -> REGEXP_SUBSTR('abc', '(b)', x), range(2))",
  "SELECT arrayMap(x -> regexp_instr('abc', 'b', x + 1), range(9))",
  "SELECT arrayMap(x -> extractURLParameter('?a=b', toString(x)), range(9))",
  `SELECT has([${Array.from({ length: 101 }, (_, i) => i)}], number) FROM numbers(1)`,
  'SELECT groupArrayIntersect(range(10000)) FROM numbers(1000000)',
  'SELECT uniqExact(number) OVER (ORDER BY number ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) FROM numbers(9)',
  'SELECT quantileExactIf(number, 1) OVER w FROM numbers(9) WINDOW w AS (ORDER BY number)',
  'SELECT sum(number) OVER (ORDER BY number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM numbers(9)',
  ...hiddenFrames,
  'SELECT sum(number) OVER (ORDER BY number ROWS BETWEEN 10001 PRECEDING AND CURRENT ROW) FROM numbers(9)',
  'SELECT sum(number) OVER (ORDER BY number ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM numbers(9)',
  'SELECT sum(number) OVER w FROM numbers(9) WINDOW w AS (ORDER BY number ROWS BETWEEN 10001 PRECEDING AND CURRENT ROW)',
  "SELECT JSONExtractInt('[1, 2]', number) FROM numbers(9)",
  'SELECT topKArray(range(5000)) FROM numbers(100000)',
  'SELECT sumForEach(range(5000)) FROM numbers(100000)',
  'SELECT range(100001)',
  `SELECT arrayMap(x -> ${'SHA512('.repeat(300)}toString(x)${')'.repeat(300)}, range(2))`,
  `SELECT ${Array(301).fill('number + 1').join(', ')} FROM numbers(1)`,
  'SELECT sum(length(range(number))) FROM numbers(8192)',
  // ClickHouse calls the lambda, not the function.
  'WITH x -> arrayMap(y -> y + 1000000, range(x)) AS toInt32 SELECT hasAny(range(20000), toInt32(20000))',
];
for (const sql of unstoppable) {
  t.test(`refused: ${sql.slice(0, 100)}`, (t) => t.rejects(run(sql), likeServiceError('invalidSql')));
}

/** Calls of the same functions that dashboards need. */
const ordinary: [sql: string, answer: string][] = [
  [
    `SELECT ${Array.from({ length: 140 }, (_, i) => `sumIf(number, number = ${i}) AS s${i}`).join(', ')} FROM numbers(1)`,
    Array(140).fill('0').join('\t'),
  ],
  [`SELECT count() FROM numbers(9) WHERE number IN (${Array.from({ length: 5000 }, (_, i) => i)})`, '9'],
  ["SELECT has(['GET', 'POST'], method) FROM (SELECT 'GET' AS method)", '1'],
  ["SELECT has(groupUniqArray(endpoint), '/x') FROM requests_minute", '0'],
  ['SELECT hasAny(groupArray(number), [1, 2]) FROM numbers(1000000)', '1'],
  ['SELECT hasAll([1, 2, 3], [1, toUInt64(2)])', '1'],
  ["SELECT indexOf(['a', 'b'], 'b')", '2'],
  ['SELECT countEqual(groupArray(number % 2), 1) FROM numbers(10)', '5'],
  ["SELECT JSONExtractInt('{\"a\": [1, 2]}', 'a', -1)", '2'],
  ["SELECT mapContains(map('a', 1), 'a')", '1'],
  ["SELECT substringUTF8('größe', 2, 3), leftUTF8('größe', 3), instr('größe', 'r')", 'röß\tgrö\t2'],
  ["SELECT substring('a: b', position('a: b', ':') + 2), regexpExtract('x42', '([0-9]+)', 1)", 'b\t42'],
  ['SELECT arraySum(arrayIntersect(groupArray(number), [1, 2, 12])) FROM numbers(9)', '3'],
  [
    "SELECT count() FROM numbers(5) WHERE toDate('2026-01-01') + number IN (toDate('2026-01-02'), today())",
    '1',
  ],
  ['SELECT count() FROM numbers(5) WHERE number IN (SELECT number FROM numbers(2))', '2'],
  [
    'WITH few AS (SELECT number FROM numbers(2)) SELECT count() FROM numbers(5) WHERE number IN (SELECT number FROM few)',
    '2',
  ],
  ['SELECT sum(length(range(12))) FROM numbers(100000)', '1200000'],
  ['SELECT quantileExactWeightedArray(0.5)(range(12), range(12)) FROM numbers(8192)', '8'],
  [`SELECT length([${percentilesOf(10)}]) FROM numbers(9)`, '10'],
  ['SELECT arraySum(arrayMap(x -> x * 2, range(100000)))', '9999900000'],
  [
    'SELECT max(s) FROM (SELECT sum(number) OVER (ORDER BY number ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS s FROM numbers(10))',
    '42',
  ],
  [
    'SELECT max(s) FROM (SELECT avgIf(number, number > 1) OVER (ORDER BY number RANGE BETWEEN 3600 PRECEDING AND 1 FOLLOWING) AS s FROM numbers(3))',
    '2',
  ],
  [
    'SELECT max(s) FROM (SELECT last_value(number) OVER w AS s FROM numbers(9) WINDOW w AS (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))',
    '8',
  ],
  [
    "SELECT 'UNBOUNDED FOLLOWING', max(s) FROM (SELECT count() OVER (ORDER BY number ROWS BETWEEN UNBOUNDED /* first */ PRECEDING\n AND 1 FOLLOWING) AS s FROM numbers(9))",
    'UNBOUNDED FOLLOWING\t9',
  ],
];
for (const [sql, answer] of ordinary) {
  t.test(`available: ${sql.slice(0, 100)}`, async (t) => t.equal((await run(sql)).toString().trim(), answer));
}

t.test('a refusal says where, why and what to do', async (t) => {
  const search = await refusalOf(run('SELECT\n  hasAny(range(9), range(9))'));
  t.same(search?.position, { offset: 9, line: 2, column: 3 });
  t.equal(
    search?.message,
    'The arguments of hasAny but one must be written out, with at most 100 values each (line 2, column 3). Use IN with a subquery, or a JOIN, to search a longer list.',
  );
  const characters = await refusalOf(run("SELECT substringUTF8('abc', number, 1) FROM numbers(2)"));
  t.equal(
    characters?.message,
    'Every argument of substringUTF8 but the first must be written out (line 1, column 8). Use substring, which counts bytes.',
  );
  const frame = await refusalOf(run(`SELECT ${quadratic}`));
  t.equal(
    frame?.message,
    'A frame that ends with UNBOUNDED FOLLOWING must begin with UNBOUNDED PRECEDING (line 1, column 81). Sort the other way round, and end the frame with the current row.',
  );
  const sums = await refusalOf(run('SELECT sumMap(map(number, 1)) FROM numbers(9)'));
  t.equal(
    sums?.message,
    'Function sumMap is not available here (line 1, column 8). Use GROUP BY with the key.',
  );
  const bitmap = await refusalOf(run('SELECT groupBitmap(number) FROM numbers(9)'));
  t.match(bitmap?.message, /^Function groupBitmap is not available here/);
  t.notMatch(bitmap?.message, 'GROUP BY');
  const few = await refusalOf(run('WITH few AS (SELECT 1) SELECT 1 IN few'));
  t.equal(
    few?.message,
    'The right side of IN must be a list or a subquery (line 1, column 33). Write IN (SELECT … FROM few) for a subquery with a name, = for one value, and has() for a short array.',
  );
  const many = await refusalOf(run(`SELECT ${Array(301).fill('1 + 1').join(', ')}`));
  t.equal(
    many?.message,
    'The statement has 301 functions and operators; at most 300 are available. Use lists with IN, or several statements.',
  );
  const lambda = await refusalOf(run('WITH x -> x + 1 AS next SELECT next(1)'));
  t.equal(
    lambda?.message,
    'A lambda cannot have a name here (line 1, column 20). Write it where it is used.',
  );
  const large = await refusalOf(run('SELECT range(100001)'));
  t.equal(
    large?.message,
    'range makes more than 100,000 elements here, counted over 8192 rows (line 1, column 8). Use numbers() for many rows, or WITH FILL for gaps.',
  );
});

t.test('a text that ends too early is an error of the caller', (t) =>
  t.rejects(run("SELECT toUInt8('')"), likeServiceError('invalidSql')),
);

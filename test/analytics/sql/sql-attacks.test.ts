import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { insertReports, insertRequests, newPageId, openTestPageSql, refusalOf } from '../support.js';

const { clickhouse, pageSql } = await openTestPageSql(t);
const [mine, theirs] = [newPageId(), newPageId()];
const at = Date.now() - 3_600_000;
for (const [page, service] of [
  [mine, '7'],
  [theirs, 'theirs-secret'],
] as const) {
  await insertRequests(clickhouse, page, [
    { at, service, status: 500, latencyMs: [12], message: `of ${service}` },
  ]);
  await insertReports(clickhouse, page, { kind: 'service', service }, [at]);
}
const db = pageSql.database;

/** Quoted names that print lines of their own in the syntax tree, at every depth that could matter. */
const forged = Array.from({ length: 12 }, (_, depth) => {
  const indent = ' '.repeat(depth);
  return [
    `SELECT file('/etc/passwd') AS "x)\n${indent}Literal UInt64_1 (alias y"`,
    `SELECT 1 AS "x) (children 1)\n${indent}Literal UInt64_1 (alias y", file('/etc/passwd')`,
    `SELECT upper(file('/etc/passwd') AS "x) (children 1)\n${indent}ExpressionList (children 1)\n${indent} Literal 'a' (alias y")`,
  ];
}).flat();

const refused = [
  // Files of the host, by every way to name a function.
  "SELECT file('/etc/passwd')",
  "SELECT `file`('/etc/passwd')",
  'SELECT "file"(\'/etc/passwd\')',
  "SELECT `fi\\x6ce`('/etc/passwd')",
  "SELECT FILE('/etc/passwd')",
  "SELECT file/**/('/etc/passwd')",
  "SELECT file\n('/etc/passwd')",
  "SELECT 1 WHERE file('/etc/passwd') != ''",
  "SELECT 1 ORDER BY file('/etc/passwd')",
  "SELECT 1 GROUP BY file('/etc/passwd')",
  "SELECT 1 HAVING file('/etc/passwd') = ''",
  "SELECT 1 QUALIFY file('/etc/passwd') = ''",
  "SELECT 1 LIMIT length(file('/etc/passwd'))",
  "SELECT 1 LIMIT 1 BY file('/etc/passwd')",
  "SELECT 1 LIMIT 1 OFFSET length(file('/etc/passwd'))",
  "SELECT count() FROM requests_minute PREWHERE file('/etc/passwd') = ''",
  "SELECT 1 AS x ORDER BY x WITH FILL FROM length(file('/etc/passwd')) TO 9",
  "SELECT 1 AS x, 2 AS y ORDER BY x WITH FILL FROM 1 TO 9 INTERPOLATE (y AS length(file('/etc/passwd')))",
  "SELECT sum(1) OVER (PARTITION BY file('/etc/passwd'))",
  "SELECT sum(1) OVER w WINDOW w AS (ORDER BY file('/etc/passwd'))",
  "SELECT countIf(file('/etc/passwd') = '')",
  "SELECT count() FILTER (WHERE file('/etc/passwd') = '')",
  "SELECT quantile(length(file('/etc/passwd')))(1)",
  "SELECT CASE WHEN 1 THEN file('/etc/passwd') END",
  "SELECT arrayMap(x -> file(x), ['/etc/passwd'])",
  "SELECT arrayMap(file, ['/etc/passwd'])",
  "SELECT arrayMap(`file`, ['/etc/passwd'])",
  "SELECT arraySort(file, ['/etc/passwd'])",
  "SELECT mapApply(file, map('a', 'b'))",
  "SELECT arrayMap(arrayMap, ['/etc/passwd'])",
  "SELECT arrayReduce('max', [file('/etc/passwd')])",
  "SELECT arrayFold((a, x) -> file(x), ['/etc/passwd'], '')",
  "WITH (x -> file(x)) AS f SELECT f('/etc/passwd')",
  "WITH x AS (SELECT file('/etc/passwd') AS a) SELECT a FROM x",
  "SELECT (SELECT file('/etc/passwd'))",
  "SELECT 1 IN (SELECT length(file('/etc/passwd')))",
  "SELECT * FROM (SELECT file('/etc/passwd'))",
  "SELECT * FROM view(SELECT file('/etc/passwd'))",
  "SELECT 1 UNION ALL SELECT length(file('/etc/passwd'))",
  "SELECT 1 EXCEPT SELECT length(file('/etc/passwd'))",
  "SELECT service FROM requests_minute ARRAY JOIN [file('/etc/passwd')] AS x",
  "SELECT 1 FROM requests_minute AS a JOIN messages AS b ON a.service = file('/etc/passwd')",
  'SELECT service APPLY(file) FROM requests_minute',
  'SELECT * APPLY(file) FROM requests_minute',
  'SELECT * APPLY(x -> file(x)) FROM requests_minute',
  "SELECT * REPLACE (file('/etc/passwd') AS service) FROM requests_minute",
  "SELECT COLUMNS('service') APPLY(file) FROM requests_minute",
  "SELECT * FROM file('/etc/passwd', 'LineAsString')",
  "SELECT 1 IN file('/etc/passwd', 'LineAsString')",
  "SELECT 1 IN format(CSV, 'x String DEFAULT file(''/etc/passwd'')', '')",
  "SELECT * FROM values('x String DEFAULT file(''/etc/passwd'')', ('a'))",
  "SELECT * FROM format(CSV, 'x String DEFAULT file(''/etc/passwd'')', 'a')",
  "SELECT 1 FROM numbers(length(file('/etc/passwd')))",
  // The network, other processes, other stores.
  "SELECT * FROM url('http://127.0.0.1:8123/', 'CSV')",
  "SELECT * FROM s3('http://127.0.0.1/x', 'CSV')",
  `SELECT * FROM remote('127.0.0.1', '${db}', 'requests_minute')`,
  "SELECT * FROM executable('id', 'TSV', 'x String')",
  "SELECT * FROM postgresql('127.0.0.1:5432', 'a', 'b', 'c', 'd')",
  "SELECT dictGet('a', 'b', 1)",
  "SELECT joinGet('a', 'b', 1)",
  "SELECT catboostEvaluate('/etc/passwd', 1)",
  // Other pages' rows, and how many there are.
  `SELECT * FROM mergeTreeIndex(${db}, requests_minute)`,
  `SELECT * FROM merge('${db}', '.*')`,
  `SELECT * FROM loop(${db}.requests_minute)`,
  'SELECT total_rows FROM system.tables',
  'SELECT total_rows FROM `system`.`tables`',
  'SELECT total_rows FROM SYSTEM.tables',
  'SELECT 1 IN system.one',
  'SELECT 1 IN (system.one)',
  'SELECT * FROM information_schema.tables',
  'SELECT * FROM INFORMATION_SCHEMA.TABLES',
  'WITH x AS (SELECT 1) SELECT * FROM system.processes',
  'WITH x AS (SELECT 1) SELECT * FROM landing',
  'SELECT * FROM landing',
  'SELECT * FROM landing_to_messages',
  `SELECT * FROM ${db}.landing`,
  'SELECT * FROM default.requests_minute',
  'EXPLAIN ESTIMATE SELECT * FROM requests_minute',
  'SELECT * FROM (EXPLAIN ESTIMATE SELECT * FROM requests_minute)',
  "SELECT * FROM viewExplain('EXPLAIN ESTIMATE', '', (SELECT * FROM requests_minute))",
  'SELECT _part, _part_offset FROM requests_minute',
  'SELECT m._part_offset FROM requests_minute AS m',
  'SELECT "x (alias y)"._part AS z FROM requests_minute AS "x (alias y)"',
  'SELECT `\\x5fpart` FROM requests_minute',
  'SELECT COLUMNS(_part) FROM requests_minute',
  'SELECT 1 FROM requests_minute JOIN messages USING (_part)',
  'SELECT * FROM requests_minute SAMPLE 1 / 10',
  "SELECT throwIf(service = 'theirs-secret') FROM requests_minute",
  // The server.
  'SELECT hostName()',
  'SELECT currentUser()',
  'SELECT version()',
  'SELECT @@version',
  "SELECT getSetting('max_threads')",
  "SELECT getClientHTTPHeader('Authorization')",
  "SELECT getMacro('x')",
  'SELECT serverUUID()',
  'SELECT sleep(3)',
  "SELECT hasColumnInTable('system', 'tables', 'name')",
  "SELECT CAST('x', 'AggregateFunction(uniq, String)')",
  "SELECT CAST('x', concat('Aggregate', 'Function(uniq, String)'))",
  "SELECT 'x'::AggregateFunction(uniq, String)",
  "SELECT CAST('x', '`Aggregate\\\\x46unction`(uniq, String)')",
  // Around the statement.
  'SELECT 1 SETTINGS max_threads = 2',
  'SELECT 1 SETTINGS max_threads = 0',
  'SELECT (SELECT 1 SETTINGS readonly = 0)',
  'SELECT 1) SETTINGS readonly = 0, x = (1',
  'SELECT 1 FORMAT JSON',
  'SELECT 1) FORMAT JSON --',
  "SELECT 1 INTO OUTFILE '/tmp/x'",
  "SELECT 1) INTO OUTFILE '/tmp/x' --",
  'SELECT 1; SELECT 2',
  'SELECT {a:String}',
  'SET readonly = 0',
  'optimize = 1 SELECT 1',
  ', optimize = 1 SELECT 1',
  "INSERT INTO messages VALUES ('x')",
  "INSERT INTO FUNCTION file('/tmp/x') SELECT 1",
  'CREATE TABLE x (a UInt8) ENGINE = Memory',
  'DROP TABLE messages',
  'KILL QUERY WHERE 1',
  'SYSTEM SHUTDOWN',
  'SHOW TABLES FROM system',
  'SHOW TABLES; SELECT 1',
  'SHOW FULL TABLES',
  'SHOW DATABASES',
  'SHOW CREATE TABLE landing',
  'SHOW CREATE USER theirs',
  'DESCRIBE TABLE landing',
  'DESCRIBE TABLE system.tables',
  "DESCRIBE TABLE file('/etc/passwd')",
  'DESCRIBE (SELECT 1)',
  'DESCRIBE TABLE messages SETTINGS describe_include_subcolumns = 1',
  'DESCRIBE TABLE messages FORMAT JSON',
  "BACKUP TABLE messages TO File('/tmp/x')",
  'WATCH messages',
  '',
  ';',
  '(',
  ')',
  '/*',
  "'",
  '\0',
  ...forged,
];

t.test('refuses queries that reach beyond the page', async (t) => {
  for (const sql of refused) {
    const refusal = await refusalOf(runPageSql(pageSql, mine, { sql, format: 'CSV' }));
    t.match(refusal, likeServiceError('invalidSql'), sql);
    t.notMatch(
      refusal?.message,
      /theirs|root:|\/etc\/|\/tmp\/|26\.\d/,
      `${sql}: the message shows no internals`,
    );
  }
});

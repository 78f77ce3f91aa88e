import t from 'tap';
import { openDoor } from './support.js';

/** A part of the corpus of attacks on the SQL of pages, and attacks on what the door adds to it. */
const { ask } = await openDoor(t);
const database = (await ask('SELECT currentDatabase()')).text.trim();

const refused = [
  "SELECT file('/etc/passwd')",
  "SELECT `fi\\x6ce`('/etc/passwd')",
  "SELECT * FROM url('http://127.0.0.1:8123/', 'CSV')",
  `SELECT * FROM remote('127.0.0.1', '${database}', 'requests_minute')`,
  `SELECT * FROM merge('${database}', '.*')`,
  `SELECT * FROM mergeTreeIndex(${database}, requests_minute)`,
  'SELECT total_rows FROM system.tables AS t JOIN system.processes AS p ON 1',
  'SELECT * FROM system.processes',
  'SELECT * FROM system.query_log',
  'SELECT * FROM `system`.`users`',
  'SELECT 1 IN system.one',
  'SELECT 1 IN (system.tables)',
  'WITH x AS (SELECT 1) SELECT * FROM landing',
  `SELECT * FROM ${database}.landing`,
  `SELECT * FROM ${database}.copies`,
  'SELECT _part FROM requests_minute',
  "SELECT throwIf(service = 'theirs-secret') FROM requests_minute",
  "SELECT getClientHTTPHeader('X-Heartline-Page')",
  "SELECT getSetting('max_threads')",
  'SELECT hostName(1)',
  "SELECT version('x')",
  'SELECT @@version',
  "SELECT hasColumnInTable('system', 'tables', 'name')",
  'SELECT 1 SETTINGS readonly = 0',
  'SELECT 1) SETTINGS readonly = 0, x = (1',
  "SELECT 1 INTO OUTFILE '/tmp/x'",
  'SELECT 1) FORMAT JSON --',
  'SELECT 1 FORMAT JSON FORMAT JSON',
  'SELECT 1; SELECT 2',
  "INSERT INTO FUNCTION file('/tmp/x') SELECT 1",
  'KILL QUERY WHERE 1',
  'EXPLAIN ESTIMATE SELECT * FROM requests_minute',
  "SHOW TABLES LIKE 'x' UNION ALL SELECT total_rows FROM system.processes",
  "SHOW TABLES LIKE '%' OR file('/etc/passwd') = ''",
  'SHOW TABLES LIMIT (SELECT count() FROM landing)',
  "SHOW DATABASES LIKE file('/etc/passwd')",
  'SHOW CREATE USER theirs',
  'SHOW PROCESSLIST',
  'SHOW GRANTS',
  "DESCRIBE TABLE file('/etc/passwd')",
  "DESCRIBE messages'; SELECT 1",
  'DESCRIBE (SELECT 1)',
  'USE landing',
  'SET readonly = 0, join_use_nulls = 1',
  'SET max_execution_time = 1; SELECT 1',
  'SET ROLE admin',
  '',
  '\0',
];

t.test('refuses statements that reach beyond the page', async (t) => {
  for (const statement of refused) {
    const { status, headers, text } = await ask(statement);
    t.ok(status >= 400, `${statement}: ${status} ${text.slice(0, 200)}`);
    t.match(text, /^Code: \d+\. DB::Exception: .+ \([A-Z_]+\)\n$/s, statement);
    t.match(headers.get('x-clickhouse-exception-code'), /^\d+$/, statement);
    t.notMatch(text, /theirs-secret|root:|26\.\d/, statement);
  }
});

t.test('a value never becomes a part of the statement', async (t) => {
  const values = [
    "'; SELECT 1 --",
    "\\' OR 1=1 --",
    "') UNION ALL SELECT service FROM messages --",
    '\\',
    '\u0000',
    '`',
  ];
  for (const value of values) {
    // The interface escapes values as TabSeparated does.
    const escaped = value.replaceAll('\\', '\\\\');
    const { status, text } = await ask('SELECT length({a:String}), {a:String} = {b:String}', {
      query: { param_a: escaped, param_b: escaped },
    });
    t.strictSame([status, text], [200, `${Buffer.byteLength(value)}\t1\n`], value);
  }
  for (const [type, value] of [
    ...[['UInt8', '1 UNION ALL SELECT 2'] as const, ['Float64', '1e5)'] as const],
    ...[["DateTime('UTC')", "2026-01-01 00:00:00', 1"] as const, ['UUID', "x'"] as const],
    ...[['Array(String)', "['a'] || ['b']"] as const, ['Array(String)', "['a', version()]"] as const],
    ...[['Array(UInt8)', '[1, (SELECT 2)]'] as const, ['Map(String, String)', '{}'] as const],
  ]) {
    const { headers } = await ask(`SELECT {a:${type}}`, { query: { param_a: value } });
    t.equal(headers.get('x-clickhouse-exception-code'), '457', `${type} ${value}`);
  }
});

t.test('no statement shows rows of another page', async (t) => {
  for (const statement of [
    'SELECT DISTINCT service FROM requests_minute',
    `SELECT DISTINCT service FROM ${database}.requests_minute WHERE page_id != toUUID('00000000-0000-0000-0000-000000000000')`,
    "SELECT service FROM requests_minute WHERE service = 'theirs-' || 'secret'",
    'SELECT groupUniqArray(service) FROM service_requests_hour',
    'SELECT * FROM system.tables',
    'SELECT * FROM system.columns',
    'SELECT * FROM system.parts',
    'SELECT * FROM information_schema.tables',
  ]) {
    const { status, text } = await ask(statement);
    t.equal(status, 200, `${statement}: ${text.slice(0, 200)}`);
    t.notMatch(text, 'theirs-secret', statement);
  }
});

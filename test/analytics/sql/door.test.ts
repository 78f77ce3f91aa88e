import t from 'tap';
import { translateForTools } from '../../../analytics/sql/door.js';
import { sqlErrorAt } from '../../../analytics/sql/sql-refusal.js';
import { likeServiceError } from '../../support/like-service-error.js';

const session = { database: 'heartline', user: 'acme' };
const translate = (sql: string, given: Record<string, string> = {}) =>
  translateForTools(sql, session, new Map(Object.entries(given)));

t.test('a statement without anything of the kind stays as it is', (t) => {
  for (const sql of [
    'SELECT 1',
    "SELECT 'version()', `database()`, '{a:String}' -- version()",
    'SELECT version FROM version_requests_hour',
    'SELECT t.version() FROM x AS t',
    'SELECT system.tables FROM x',
    'SELECT * FROM system.processes',
    'SELECT 1 IN system.one',
    'WITH tables AS (SELECT 1) SELECT * FROM tables',
  ]) {
    t.strictSame(translate(`${sql} ;`).sql, sql.replace(/ -- .*/, ''), sql);
  }
  t.end();
});

t.test('the last FORMAT is taken out', (t) => {
  t.match(translate('SELECT 1 FORMAT JSON;'), { sql: 'SELECT 1', format: 'JSON' });
  t.match(translate('SELECT 1\nformat CSV'), { sql: 'SELECT 1', format: 'CSV' });
  for (const sql of ['SELECT 1 AS a ORDER BY format DESC', 'SELECT a, format b'])
    t.match(translate(sql), { sql, format: undefined });
  t.match(translate("SELECT 'FORMAT JSON'"), { sql: "SELECT 'FORMAT JSON'", format: undefined });
  t.end();
});

t.test('functions about the server are literals, with their own names', (t) => {
  t.equal(
    translate('SELECT currentUser(), database() AS db').sql,
    "SELECT 'acme' AS `currentUser()`, 'heartline' AS db",
  );
  t.equal(
    translate('SELECT concat(CURRENTUSER(), 1) x').sql,
    "SELECT concat('acme' AS `CURRENTUSER()`, 1) x",
  );
  t.end();
});

t.test('a comment inside of a call is no part of its name', (t) => {
  t.equal(translate('SELECT user /* /* ` */ */ (/*`*/ \0)').sql, "SELECT 'acme' AS `user()`");
  t.end();
});

t.test('floats may be no numbers, and texts in arrays have their quotes twice or escaped', (t) => {
  for (const [type, value, expected] of [
    ...[['Float64', 'nan', "'nan'"] as const, ['Float32', '+inf', "'+inf'"] as const],
    ...[['UInt64', '5', "'5'"] as const, ['Int8', '-5', "'-5'"] as const],
    ...[['Array(Float64)', '[nan,-inf,1.5]', '[nan, -inf, 1.5]'] as const],
    ...[['Array(Int8)', '[-1, 2]', '[-1, 2]'] as const],
    ...[['Array(String)', "['it''s','','a\\'b']", "['it''s', '', 'a\\'b']"] as const],
    ...[['Array(String)', "['''', ', ']", "['''', ', ']"] as const],
  ]) {
    t.equal(translate(`SELECT {a:${type}}`, { a: value }).sql, `SELECT  CAST(${expected}, '${type}') `);
  }
  for (const [type, value] of [
    ...[['UInt8', 'nan'] as const, ['Int8', 'inf'] as const, ['Float64', 'nano'] as const],
    ...[['Float64', 'nan, 1'] as const, ['Array(Int8)', '[1.5]'] as const, ['Array(UInt8)', '[-1]'] as const],
    ...[['Array(String)', "['a'b']"] as const, ['Array(String)', "['a''']']"] as const],
    ...[['Array(String)', "['a' 'b']"] as const, ['Array(Float64)', '[nan()]'] as const],
    ...[['Array(String)', "['a\\']"] as const, ['Array(UUID)', "['x']"] as const],
  ]) {
    const refused = likeServiceError('invalidSql', { storeCode: 457 });
    t.throws(() => translate(`SELECT {a:${type}}`, { a: value }), refused, `${type} ${value}`);
  }
  t.end();
});

t.test('a text keeps the backslashes of patterns, and has its other escapes taken back', (t) => {
  for (const [value, expected] of [
    [String.raw`\d+\.\d`, String.raw`\\d+\\.\\d`] as const,
    [String.raw`100\%`, String.raw`100\\%`] as const,
    [String.raw`a\tb\x41\\c\'`, String.raw`a${'\t'}bA\\c\'`] as const,
  ]) {
    t.equal(translate('SELECT {a:String}', { a: value }).sql, `SELECT  '${expected}' `, value);
  }
  t.end();
});

t.test('a parameter that is not closed is refused, and a map with numbers as keys is none', (t) => {
  for (const sql of ['SELECT {a:', 'SELECT {a:String', `SELECT {a:${'Array('.repeat(50)}String}`]) {
    const refused = likeServiceError('invalidSql', { message: /a is not closed/, storeCode: 62 });
    t.throws(() => translate(sql, { a: 'x' }), refused, sql);
  }
  t.equal(translate("SELECT {1: 'a'}").sql, "SELECT {1: 'a'}");
  t.end();
});

t.test('tables about tables are subqueries, with the names by which the statement calls them', (t) => {
  const { sql = '' } = translate(
    'SELECT t.name, system.tables.name FROM system.tables t JOIN `system`.databases ON system.databases.name = t.database',
  );
  t.match(sql, /^SELECT t\.name, `t`\.name FROM \(SELECT /);
  t.match(sql, /\) t JOIN \(SELECT .*\) AS `databases` ON `databases`\.name = t\.database$/s);
  t.end();
});

t.test('an error has its place in the statement of the tool', (t) => {
  const written = "SELECT {long:String} AS a, version() AS b, c, 'é' FROM system.one WHERE d";
  const { sql = '', locate } = translate(written, { long: 'x'.repeat(50) });
  for (const name of ['c,', 'd']) {
    const here = sqlErrorAt(written, written.lastIndexOf(name), 'Unknown column');
    const there = sqlErrorAt(sql, sql.lastIndexOf(name), 'Unknown column');
    t.match(locate(there), { message: here.message, position: here.position }, name);
  }
  const inside = locate(sqlErrorAt(sql, sql.indexOf('xxx'), 'Too long'));
  t.match(inside.position, { offset: written.indexOf('{') });
  t.end();
});

t.test('statements that change something, and other databases, are refused', (t) => {
  for (const sql of ['INSERT INTO x VALUES (1)', 'create table x', 'KILL QUERY WHERE 1', 'SET a = 1']) {
    t.throws(() => translate(sql), likeServiceError('notAllowed', { storeCode: 164 }), sql);
  }
  t.throws(() => translate('USE system'), likeServiceError('notAllowed', { storeCode: 81 }));
  t.throws(
    () => translate('DESCRIBE TABLE system.tables'),
    likeServiceError('invalidSql', { storeCode: 60 }),
  );
  t.end();
});

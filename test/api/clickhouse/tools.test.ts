import t from 'tap';
import { pageFunctionNames } from '../../../analytics/sql/page-functions.js';
import { allowedFunctions } from '../../../analytics/sql/sql-functions.js';
import { sqlTables } from '../../../contract/sql-documented.js';
import { openDoor, rowsOf } from './support.js';

/**
 * The statements of tools when they connect and when they look for tables, as their sources have them: Grafana's plugin
 * 4 (clickhouse-go 2), Metabase and DBeaver (clickhouse-jdbc 0.9 and 0.6), Superset (clickhouse-connect 0.9), Tableau
 * (clickhouse-jdbc), linq2db.
 */
const { ask } = await openDoor(t);
const database = (await ask('SELECT currentDatabase()')).text.trim();

/** The number of columns and of rows that a statement is answered with; at least one row without a number. */
type Shape = [columns: number, rows?: number];
const tables = sqlTables.length;

const handshakes: Record<string, Shape> = {
  'SELECT displayName(), version(), revision(), timezone()': [4, 1],
  'SELECT timeZone()': [1, 1],
  'SELECT version(), timezone()': [2, 1],
  'SELECT VERSION()': [1, 1],
  'SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1': [3, 1],
  'SELECT version() as server_version': [1, 1],
  'SELECT 1 AS check': [1, 1],
  'SELECT hostName(), uptime(), serverUUID()': [3, 1],
  "WITH s AS (SELECT version() AS ver, splitByChar('.', ver) AS verSplit) SELECT s.ver, toInt32(verSplit[1]), toInt32(verSplit[2]) FROM s":
    [3, 1],
  "SELECT value='1' FROM system.settings WHERE name='cloud_mode'": [1, 0],
  'SELECT count() = 0 FROM system.clusters WHERE is_local = 0': [1, 1],
  'SELECT name, value, readonly FROM system.settings LIMIT 10000': [3],
  [`SELECT count(*) > 0 FROM system.databases WHERE name = '${database}'`]: [1, 1],
  'SELECT timezone() AS tz': [1, 1],
  'SELECT name FROM system.table_engines': [1, 1],
};

const engines = ['Log', 'View', 'MergeTree', 'ReplacingMergeTree'].map((name) => `'${name}'`).join(',');
const browsing: Record<string, Shape> = {
  // Grafana
  'SHOW DATABASES': [1, 1],
  'SHOW TABLES': [1, tables],
  [`SHOW TABLES FROM "${database}"`]: [1, tables],
  [`DESC TABLE "${database}"."messages"`]: [7],
  'SELECT name, type, table FROM system.columns': [3],
  [`SELECT name, type, table FROM system.columns WHERE database IN ('${database}') AND table = 'messages'`]: [
    3,
  ],
  'SELECT name FROM system.databases ORDER BY name': [1, 1],
  [`SELECT name FROM system.tables WHERE database = '${database}' ORDER BY name`]: [1, tables],
  'SELECT name, is_aggregate, case_insensitive, alias_to, origin, description, syntax, arguments, returned_value, examples, categories FROM system.functions LIMIT 10000':
    [11, allowedFunctions.length + pageFunctionNames.length],
  // clickhouse-connect
  'EXISTS TABLE `messages`': [1, 1],
  'EXISTS TABLE `nowhere`': [1, 1],
  [`EXISTS DATABASE \`${database}\``]: [1, 1],
  [`SELECT engine, engine_full, comment FROM system.tables WHERE database = '${database}' AND name = 'messages'`]:
    [3, 1],
  'DESCRIBE TABLE `messages`': [7],
  "SELECT name, value, changed FROM system.settings WHERE name IN ('readonly')": [3],
  // clickhouse-jdbc 0.9
  "SELECT name AS TABLE_SCHEM, '' AS TABLE_CATALOG FROM system.databases ORDER BY name": [2, 1],
  [`SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS, CAST(null as Nullable(String)) AS TYPE_CAT, d.engine AS TYPE_SCHEM FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name WHERE t.database LIKE '${database}' AND t.name LIKE '%' AND ( (t.engine IN (${engines})) OR (t.engine NOT IN (${engines}) AND NOT t.engine LIKE 'System%')) AND (t.is_temporary = 0)`]:
    [7, tables],
  [`SELECT '' AS TABLE_CAT, database AS TABLE_SCHEM, table AS TABLE_NAME, name AS COLUMN_NAME, toInt32(1111) AS DATA_TYPE, type AS TYPE_NAME, toInt32(multiIf(character_octet_length IS NOT NULL, character_octet_length, system.columns.type == 'Int8', 1, numeric_precision IS NOT NULL, numeric_precision, 0)) AS COLUMN_SIZE, toInt32(IF (numeric_scale == 0, NULL, numeric_scale)) as DECIMAL_DIGITS, toInt32(position(type, 'Nullable(') >= 1 ? 1 : 0) as NULLABLE, system.columns.comment AS REMARKS, system.columns.default_expression AS COLUMN_DEF, character_octet_length::Nullable(Int32) AS CHAR_OCTET_LENGTH, toInt32(system.columns.position) AS ORDINAL_POSITION, position(upper(type), 'NULLABLE') >= 1 ? 'YES' : 'NO' AS IS_NULLABLE FROM system.columns WHERE database LIKE '${database}' AND table LIKE 'messages' AND name LIKE '%' ORDER BY TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION`]:
    [14],
  [`SELECT system.tables.name AS TABLE_NAME, trim(c.1) AS COLUMN_NAME FROM system.tables ARRAY JOIN arrayZip(splitByChar(',', primary_key), arrayEnumerate(splitByChar(',', primary_key))) as c WHERE system.tables.primary_key <> '' AND system.tables.database ILIKE '%'`]:
    [2, 0],
  // clickhouse-jdbc 0.6
  [`select null as TABLE_CAT, t.database as TABLE_SCHEM, t.name as TABLE_NAME, case when t.engine like '%Log' then 'LOG TABLE' when t.engine in ('Buffer', 'Memory', 'Set') then 'MEMORY TABLE' when t.is_temporary != 0 then 'TEMPORARY TABLE' when t.engine like '%View' then 'VIEW' when empty(t.data_paths) then 'REMOTE TABLE' else 'TABLE' end as TABLE_TYPE, t.comment as REMARKS, d.engine as TYPE_SCHEM from system.tables t inner join system.databases d on t.database = d.name where t.database like '%' and t.name like '%' and TABLE_TYPE in ('TABLE','VIEW') order by t.database, t.name`]:
    [6, tables],
  "select * from (select name as FUNCTION_NAME, 1 as FUNCTION_TYPE from system.functions where name like 'sum%' union all select name as FUNCTION_NAME, 2 as FUNCTION_TYPE from system.table_functions where name not in (select name from system.functions) and name like '%') where FUNCTION_TYPE = 2":
    [2, 2],
  'select name, alias_to from system.data_type_families order by name': [2],
  // DBeaver
  [`SELECT name as TABLE_NAME, engine as TABLE_TYPE, database as TABLE_SCHEM,comment as REMARKS, * FROM system.tables\nWHERE database = '${database}'`]:
    [34, tables],
  [`select sum(bytes) as table_size, sum(rows) as table_rows, max(modification_time) as latest_modification,min(min_date) AS min_date,max(max_date) AS max_date,any(engine) as engine\nFROM system.parts\nWHERE database='${database}' AND table='messages'\nGROUP BY table`]:
    [6, 0],
  'SHOW CREATE TABLE messages': [1, 1],
  // linq2db
  "select name, comment, engine LIKE '%View' from system.tables where is_temporary = 0 and database = database()":
    [3, tables],
  // Others
  'SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = database()': [2, tables],
  "SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'messages'": [2],
  'SELECT schema_name FROM information_schema.schemata': [1, 1],
  'SELECT * FROM system.one': [1, 1],
};

/** Statements with nothing to answer. */
const silent = [
  'SET readonly=1',
  'SET ROLE NONE',
  `USE ${database}`,
  'USE default',
  'SET max_execution_time = 60',
];

for (const [what, statements] of Object.entries({ handshakes, browsing })) {
  t.test(`${what} are answered, with the page's own tables`, async (t) => {
    for (const [statement, [columns, rows]] of Object.entries(statements)) {
      const answer = await ask(`${statement} FORMAT TabSeparatedWithNames`);
      t.equal(answer.status, 200, `${statement}: ${answer.text.slice(0, 300)}`);
      const [names, ...found] = rowsOf(answer);
      t.equal(names?.length, columns, `${statement}: columns ${names}`);
      if (rows === undefined) t.ok(found.length > 0, statement);
      else t.equal(found.length, rows, statement);
      t.notMatch(answer.text, /theirs-secret|\blanding\b/, statement);
    }
  });
}

t.test('columns may have the database and the table in front, as Metabase writes them', async (t) => {
  const inFront = (table: string, ...columns: string[]) =>
    columns.map((column) => `\`${database}\`.\`${table}\`.\`${column}\``).join(', ');
  for (const statement of [
    `SELECT ${inFront('monitors', 'slug', 'name')} FROM \`${database}\`.\`monitors\` WHERE ${inFront('monitors', 'slug')} <> ''`,
    `SELECT sum(${inFront('requests_minute', 'requests')}) FROM \`${database}\`.\`requests_minute\``,
    'SELECT monitors.slug FROM monitors AS m',
    `SELECT m.slug, ${inFront('checks', 'ok')} FROM ${database}.checks JOIN ${database}.monitors AS m
       ON ${inFront('checks', 'monitor_id')} = ${inFront('monitors', 'monitor_id')}`,
  ]) {
    t.match(await ask(statement), { status: 200 }, statement);
  }
  t.match(await ask(`SELECT nowhere.monitors.slug FROM monitors`), { text: /^Code: \d+\. / });
});

t.test('values of parameters have their types', async (t) => {
  const query = { param_n: '5', param_e: 'nan', param_i: '-inf', param_l: '[1,2]', param_p: '\\d+' };
  const statement = `SELECT toTypeName({n:UInt64}), {e:Float64}, {i:Float32}, toTypeName({l:Array(UInt64)}), match('5', {p:String})
    FROM system.one LIMIT {n:UInt64}`;
  t.strictSame(rowsOf(await ask(statement, { query })), [['UInt64', 'nan', '-inf', 'Array(UInt64)', '1']]);
});

t.test('statements about the session change nothing and are answered with nothing', async (t) => {
  for (const statement of silent) t.match(await ask(statement), { status: 200, text: '' }, statement);
  t.match(await ask('USE system'), { text: /^Code: 81\. / });
  t.match(await ask('SET join_use_nulls = 1'), { text: /^Code: 164\. / });
});

t.test('names and values are as tools expect them', async (t) => {
  t.match(await ask('SELECT version() FORMAT JSONEachRow'), {
    text: /^\{"version\(\)":"\d+\.\d+\.\d+\.\d+"\}\n$/,
  });
  t.match(await ask('SELECT revision() FORMAT TabSeparatedWithNamesAndTypes'), { text: /\nUInt32\n/ });
  t.equal((await ask('EXISTS TABLE messages')).text, '1\n');
  t.equal((await ask('EXISTS TABLE landing')).text, '0\n');
  t.equal((await ask('SELECT currentUser()')).text, 'acme\n');
  t.strictSame(rowsOf(await ask("SHOW TABLES LIKE 'messag%'")), [['messages']]);
  t.strictSame(rowsOf(await ask('SHOW TABLES FROM system')), []);
  t.strictSame(rowsOf(await ask("SHOW COLUMNS FROM alerts LIKE 'val%'")), [
    ['value', 'Nullable(Float64)', 'YES', '', '\\N', ''],
  ]);
  t.match(await ask('SHOW COLUMNS FROM landing'), { text: /^Code: 60\. / });
  t.match(await ask('WITH a AS (SELECT 1) SELECT * FROM landing'), { text: /^Code: (60|497)\. / });
  t.match(await ask('DESCRIBE TABLE landing'), { status: 404, text: /^Code: 60\. .*\(UNKNOWN_TABLE\)/ });
  const { text } = await ask('SELECT * FROM system.tables FORMAT TabSeparatedWithNamesAndTypes');
  t.match(text.split('\n')[1], /^String\tString\tUUID\tString\tUInt8\tArray\(String\)/);
});

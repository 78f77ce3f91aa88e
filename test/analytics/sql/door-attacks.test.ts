import fc from 'fast-check';
import t from 'tap';
import { translateForTools } from '../../../analytics/sql/door.js';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { filteredTables, grantedViews, readableTables, readableViews } from '../../../contract/sql-tables.js';
import { ServiceError } from '../../../lib/service-error.js';
import { propertyOf } from '../../support/property.js';
import { isThirdTier } from '../../support/tiers.js';
import { insertReports, insertRequests, newPageId, openTestPageSql } from '../support.js';
import { insertViewRows } from './view-rows.js';

/** Statements of tools over everything that the confined user may name, written as no tool would write them. */
const { clickhouse, pageSql } = await openTestPageSql(t);
const [mine, theirs] = [newPageId(), newPageId()];
const at = Date.now() - 3_600_000;
for (const [page, text] of [
  [mine, 'mine'],
  [theirs, 'theirs-secret'],
] as const) {
  await insertViewRows(clickhouse, page, text);
  await insertRequests(clickhouse, page, [
    { at, service: text, status: 500, latencyMs: [12], message: text, version: text },
  ]);
  await insertReports(clickhouse, page, { kind: 'service', service: text }, [at]);
}
for (const table of ['checks', 'monitor_hours', 'monitor_days', 'copies', 'requests_minute', 'messages'])
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });

const database = pageSql.database;
const session = { database, user: 'acme' };
const shown = [...readableViews, ...readableTables];
const hidden = [...filteredTables, ...grantedViews, 'landing', 'pool_reports', 'migrations', 'shard_users'];
const aboutTables = ['tables', 'columns', 'databases', 'parts', 'functions', 'one'];
const onServer = ['processes', 'query_log', 'users', 'mutations', 'part_log'];

/** Values of parameters, which end a text, a comment or the statement where they are not confined to their quotes. */
const given = new Map<string, string>([
  ...[['page', theirs] as const, ['end', "') OR page_id = '"] as const, ['mark', '*/ OR 1 -- `"'] as const],
  ...[['pages', `['${theirs}', 'it''s']`] as const, ['n', '-1'] as const, ['no', 'nan'] as const],
]);

/** Text between words: white space to ClickHouse, though it looks like the beginning of something else. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constant(' ') },
  fc.constantFrom(
    ...['\n', '\t\r\n', '\0', ' \0 '],
    ...["/*'*/", '/*`*/', '/*"*/', '/* /* ) */ */', '/* -- */', '/* $h$ */', '/*{page:String}*/'],
    ...["-- '\n", '-- /*\n', '#! `\n', '-- FROM landing\n'],
  ),
);
const quoted = (text: string) => fc.constantFrom(text, text, text, `\`${text}\``, `"${text}"`);
/** Joins parts with gaps between them. */
const spaced = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.tuple(...parts), fc.array(gap, { minLength: parts.length, maxLength: parts.length }))
    .map(([texts, gaps]) => texts.map((text, index) => `${text}${gaps[index]}`).join(''));
const word = (text: string): fc.Arbitrary<string> => fc.constant(text);
const inSchema = (schema: string, names: readonly string[]): fc.Arbitrary<string> =>
  spaced(
    fc.oneof(word(schema), word(schema.toUpperCase()), quoted(schema)),
    word('.'),
    fc.constantFrom(...names).chain(quoted),
  );

const table = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...shown) },
  { weight: 2, arbitrary: fc.constantFrom(...hidden).chain(quoted) },
  { weight: 2, arbitrary: inSchema(database, [...shown, ...hidden]) },
  { weight: 2, arbitrary: inSchema('system', aboutTables) },
  { weight: 1, arbitrary: inSchema('system', onServer) },
  { weight: 1, arbitrary: inSchema('information_schema', ['tables', 'columns', 'schemata']) },
);
const column = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('*', 'page_id', 'count()', 'toString(page_id) AS id') },
  fc.constantFrom(
    ...['name', 'service', 'data', 'error', 'version', 'a.page_id', 'any(message)', "COLUMNS('.*')"],
    ...['version()', 'currentUser ( ) AS u', 'user(/*`*/)', 'database()', 'hostName()', 'uptime()'],
    ...['{n:Int8}', '{no:Float64}', '{end:String}', '{mark:String} AS `"`', 'length({pages:Array(String)})'],
    ...[
      'rate(requests, 60)',
      'apdex /* /* ) */ */ (latency_buckets, 300)',
      'percentile(`latency_buckets`,0.9)',
    ],
    ...['shareUnder(latency_buckets /*,*/, 200) AS "x) (children 1)\n Literal UInt64_1 (alias y"'],
    ...[
      '$h$ FROM landing $h$',
      "$$'$$ AS `from`",
      '1 AS `a\\`b`',
      '1 AS "system.tables"',
      "'\\' FROM ' AS x",
    ],
  ),
);
const condition = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('1', 'NOT 0') },
  fc.constantFrom(
    ...['page_id = {page:String}', '1 OR page_id = {page:UUID}', 'toString(page_id) IN ({page:String})'],
    ...['has({pages:Array(String)}, toString(page_id))', '{end:String} != {mark:String}', '{n:Int8} < 0'],
    ...[`page_id = '${theirs}' OR 1`, `page_id = $h$${theirs}$h$`, "service = 'theirs-secret' OR 1"],
    ...['page_id IN (SELECT page_id FROM copies)', 'page_id IN (SELECT uuid FROM system.tables)'],
    ...['1 IN system.one', 'system.tables.name != version()', '1 /* ) OR 1 */', '1) OR (1'],
  ),
);
const alias = fc.constantFrom('a', 'a', '`a`', '"a"', 'tables', '`system`', 'page_id');
const end = fc.constantFrom(
  '',
  '',
  ';',
  ' ; ;',
  ' -- ;',
  ' LIMIT 5',
  ' FORMAT TSV',
  ' SETTINGS readonly = 0',
);

const statement = fc
  .oneof(
    { weight: 4, arbitrary: spaced(word('SELECT'), column, word('FROM'), table, word('WHERE'), condition) },
    spaced(word('SELECT'), column, word('FROM'), table, word('AS'), alias, word('WHERE'), condition),
    spaced(word('SELECT * FROM'), table, alias, word(','), table, word('AS b WHERE'), condition),
    spaced(word('SELECT'), column, word('FROM'), table, word('AS a JOIN'), table, word('AS b ON'), condition),
    spaced(word('SELECT a.* FROM'), table, word('AS a LEFT JOIN'), table, word('AS b USING (page_id)')),
    spaced(word('SELECT page_id FROM'), table, word('UNION ALL SELECT page_id FROM'), table),
    spaced(
      word('WITH'),
      alias,
      word('AS (SELECT * FROM'),
      table,
      word(') SELECT'),
      column,
      word('FROM'),
      table,
    ),
    spaced(
      word('WITH x AS (SELECT'),
      column,
      word('FROM'),
      table,
      word(') SELECT * FROM x WHERE'),
      condition,
    ),
    spaced(word('FROM'), table, word('SELECT'), column, word('WHERE'), condition),
    spaced(
      word('(SELECT'),
      column,
      word('FROM'),
      table,
      word(') UNION ALL (SELECT'),
      column,
      word('FROM'),
      table,
      word(')'),
    ),
    spaced(
      word('SELECT (SELECT groupArray(page_id) FROM'),
      table,
      word(') AS x,'),
      column,
      word('FROM'),
      table,
    ),
    spaced(word('DESCRIBE TABLE'), table),
    spaced(word('SHOW TABLES LIKE'), fc.constantFrom("'%'", '$$%$$', "'a' OR 1", '{end:String}')),
    spaced(word('EXISTS TABLE'), table),
  )
  .chain((text) => end.map((last) => text + last));

/** Returns the answer to a statement as the interface gives it, or the sentence that refuses it. */
async function ask(text: string): Promise<{ answer: string } | { refusal: string }> {
  try {
    const { sql } = translateForTools(text, session, given);
    if (sql === undefined) return { answer: '' };
    return { answer: (await runPageSql(pageSql, mine, { sql, format: 'TabSeparated' })).toString() };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error.message };
    throw error;
  }
}

const runs = { few: 120, many: 30_000 };
// A run takes from 20 ms to 80 ms, on two cores with other tests beside it.
t.setTimeout(3_600_000);

t.test('no statement of a tool shows a row of another page, however it is written', async (t) => {
  const counts = { answered: 0, withRows: 0 };
  const inFull = async (text: string): Promise<void> => {
    const said = await ask(text);
    const found = 'answer' in said ? said.answer : said.refusal;
    const hasQuoted = 'refusal' in said && (text.includes(theirs) || text.includes('theirs-secret'));
    if (!hasQuoted && /theirs-secret/.test(found)) throw new Error(`${text}: ${found}`);
    if ('answer' in said) {
      if (found.includes(theirs)) throw new Error(`${text}: ${found}`);
      counts.answered += 1;
      if (found.includes(mine)) counts.withRows += 1;
    }
  };
  await fc.assert(fc.asyncProperty(statement, inFull), propertyOf(t, runs));
  const all = isThirdTier ? runs.many : runs.few;
  t.comment(`${counts.answered} of ${all} were answered, ${counts.withRows} with rows of the page`);
  t.ok(counts.answered > all / 4 && counts.withRows > all / 20, JSON.stringify(counts));
});

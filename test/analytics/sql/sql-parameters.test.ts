import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import type { SqlTimes } from '../../../analytics/sql/sql-parameters.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { insertRequests, newPageId, openTestPageSql, refusalOf } from '../support.js';

const { clickhouse, pageSql } = await openTestPageSql(t);
const [mine, theirs] = [newPageId(), newPageId()];
const hourMs = 3_600_000;
const to = Math.floor(Date.now() / hourMs) * hourMs;
const times = { from: to - 2 * hourMs, to };
for (const [page, service] of [
  [mine, 'mine'],
  [theirs, 'theirs'],
] as const) {
  for (const hours of [3, 2, 1, 0]) {
    await insertRequests(clickhouse, page, [{ at: to - hours * hourMs, service, requests: 10 ** hours }]);
  }
}
const run = async (sql: string, given: SqlTimes = times): Promise<string> =>
  (await runPageSql(pageSql, mine, { sql, format: 'TSV', times: given })).toString().trim();
const written = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

t.test('{from:DateTime} and {to:DateTime} are times in UTC', async (t) => {
  const condition = 'WHERE minute >= {from:DateTime} AND minute < {to:DateTime}';
  t.equal(await run(`SELECT sum(requests) FROM requests_minute ${condition}`), '110');
  t.equal(await run('SELECT {from:DateTime}, { to : DateTime }'), `${written(times.from)}\t${written(to)}`);
  t.equal(
    await run('SELECT {to:DateTime} AS a, toTypeName(a)', { to: 1_799 }),
    '1970-01-01 00:00:01\tDateTime',
  );
  t.equal(await run('SELECT toStartOfHour({from:DateTime} + INTERVAL 1 HOUR) = {to:DateTime} - 3600'), '1');
  const filled = `SELECT minute FROM requests_minute WHERE minute = {from:DateTime}
    ORDER BY minute WITH FILL FROM {from:DateTime} TO {to:DateTime} STEP INTERVAL 1 HOUR`;
  t.equal((await run(filled)).split('\n').length, 2);
  t.equal(
    await run(
      'SELECT sum(requests) OVER (ORDER BY hour ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ' +
        'FROM requests_hour WHERE hour = {from:DateTime}',
    ),
    '100',
    'a statement that the server writes again for its check',
  );
  t.equal(await run("SELECT '{other:String}', 1 -- {other:String}", {}), '{other:String}\t1');
});

t.test('the time that the server took is known', async (t) => {
  const taken: number[] = [];
  await runPageSql(pageSql, mine, { sql: 'SELECT 1', format: 'TSV', onTime: (ms) => taken.push(ms) });
  t.equal(taken.length, 1);
  t.ok((taken[0] ?? 0) > 0 && (taken[0] ?? 0) < 10_000);
});

/** The statement with `^` in front of the fault, the message and the values. */
const refused: [marked: string, message: RegExp, given?: SqlTimes][] = [
  [
    'SELECT 1,\n ^{from:DateTime}',
    /^The parameter from has no value .* Give "from" next to the statement\.$/,
    {},
  ],
  ['SELECT ^{to:DateTime}', /^The parameter to has no value/, { from: 1 }],
  ['SELECT {^other:DateTime}', /^There is no parameter other .* Available are \{from:DateTime\} and \{to:/],
  ['SELECT {^From:DateTime}', /^There is no parameter From/],
  ['SELECT {from:^String}', /^The parameter from must have the type DateTime .* Write \{from:DateTime\}\.$/],
  ['SELECT {from:^Identifier}', /^The parameter from must have the type DateTime/],
  ['SELECT 1 FROM {from:^Identifier}', /^The parameter from must have the type DateTime/],
  ['SELECT 1 AS {from:^Identifier}', /^The parameter from must have the type DateTime/],
  ['SELECT {from:^DateTime64(3)}', /^The parameter from must have the type DateTime/],
  ["SELECT {from:^DateTime('UTC')}", /^The parameter from must have the type DateTime/],
  ['SELECT {from:^Nullable(DateTime)}', /^The parameter from must have the type DateTime/],
  ['SELECT {from:^datetime}', /^The parameter from must have the type DateTime/],
  ['SELECT {from:^AggregateFunction(sum, UInt64)}', /^The parameter from must have the type DateTime/],
];

t.test('other names and types are refused, with their place', async (t) => {
  for (const [marked, message, given] of refused) {
    const refusal = await refusalOf(run(marked.replace('^', ''), given));
    t.match(refusal, { kind: 'invalidSql', message }, `${marked}: ${refusal?.message}`);
    t.equal(refusal?.position?.offset, marked.indexOf('^'), marked);
  }
});

/** A parameter is a function in the tree, which reaches no further when somebody writes it out. */
const smuggled = [
  "SELECT _CAST('a', 'String')",
  "SELECT _CAST(5, 'DateTime')",
  `SELECT _CAST(${to / 1000}, 'Map(String, String)')`,
  `SELECT _CAST(${to / 1000}, 'AggregateFunction(sum, UInt64)')`,
  `SELECT _CAST(${to / 1000}, 'DateTime', 1)`,
  `SELECT _CAST(file('/etc/passwd'), 'DateTime')`,
  `SELECT _cast(${to / 1000}, 'DateTime')`,
  'SELECT count() FROM requests_minute WHERE page_id = {page:UUID}',
  "SELECT {from:DateTime} SETTINGS param_from = '2026-01-01 00:00:00'",
  'SELECT * FROM numbers({from:UInt64})',
  'SELECT * FROM {from:Identifier}.{to:Identifier}',
  // White space without width, which the server takes as space.
  'SELECT {\u200bfrom:Identifier}',
  'SELECT 1 FROM {\u200bfrom:Identifier}',
  'SELECT {\u200bother:String}',
  'SHOW CREATE TABLE {from:DateTime}',
];

t.test('parameters do not widen what a statement may read', async (t) => {
  for (const sql of smuggled) {
    const refusal = await refusalOf(run(sql));
    t.match(refusal, likeServiceError('invalidSql'), sql);
    t.notMatch(refusal?.message, /theirs|root:|\/etc\//, sql);
  }
  const all = 'SELECT groupUniqArray(service) FROM requests_minute WHERE minute >= {from:DateTime}';
  t.equal(await run(all, { from: 0 }), "['mine']");
});

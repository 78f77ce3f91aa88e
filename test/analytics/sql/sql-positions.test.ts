import { deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { propertyOf } from '../../support/property.js';
import { newPageId, openTestPageSql, refusalOf } from '../support.js';

const { pageSql, rowsOf } = await openTestPageSql(t);
const page = newPageId();

/** The statement with `^` in front of the fault, and the message. */
const faults: [marked: string, message: RegExp][] = [
  ['SELECT 1\nFROM reports\nWHERE service = ^= 1', /^Syntax error at "=" \(line 3, column 17\)\.$/],
  ["SELECT 'größe 🙂', 1 FRM ^x y", /^Syntax error at "x"/],
  ['SELECT sum(calls) FROM reports GROUP ^service', /^Syntax error at "service" .*Expected BY\.$/],
  ['SELECT ^(1', /^"\(" is never closed/],
  ['SELECT ^(1]', /^"\(" is never closed/],
  ["SELECT ')', 1^)", /^"\)" closes nothing/],
  ["SELECT ^'abc", /^Single quoted string is not closed \(line 1, column 8\)\.$/],
  ['SELECT 1 ^/* abc', /^Multiline comment is not closed/],
  ['SELECT 1 +^', /^The statement ends too early/],
  ['SELECT 1 +^ ; -- what?', /^The statement ends too early/],
  ['SELECT 1^; SELECT 2', /^More text follows the semicolon/],
  ['SELECT 1\n^FORMAT JSON', /^FORMAT and INTO OUTFILE are not available in a statement/],
  ['SELECT 1\r\n\t^SETTINGS max_threads = 1', /^A SETTINGS clause is not available here/],
  ['SELECT 1, -- endpont\n  ^endpont FROM messages', /^Unknown column `endpont` .* Did you mean endpoint\?$/],
  [
    "SELECT 'hour', ^hour FROM messages",
    /^Unknown column `hour` .* It is a column of requests_hour, service_/,
  ],
  ['SELECT ^m.foo FROM messages AS m', /^Identifier 'm\.foo' cannot be resolved/],
  [
    'SELECT ^endpoint, max(minute) FROM messages',
    /^Column .* not under aggregate .* Add it to GROUP BY, or agg/,
  ],
  [
    'SELECT quantilesBFloat16WeightedArrayMerge(0.5, 0.95, 0.99)(^latency_sketch)[2] FROM requests_minute',
    /^The column latency_sketch is empty in new rows \(line 1, column 61\)\. Read latency_buckets: /,
  ],
  [
    'SELECT m.requests, m.^latency_sketch AS s FROM requests_minute AS m',
    /^The column latency_sketch is empty/,
  ],
  [
    "SELECT ^quantilesBFloat16WeightedArrayMerge(0.5)(COLUMNS('latency_sk'))[1] FROM requests_minute",
    /^The arguments of quantilesBFloat16WeightedArrayMerge must be named, without \* and COLUMNS/,
  ],
  [
    'SELECT ^finalizeAggregation(tuple(m.*).10) FROM requests_minute AS m',
    /^The arguments of finalizeAggregation must be named/,
  ],
  ['SELECT ^sumx(calls) FROM reports', /^Function sumx is not available here .* Did you mean sum\?$/],
  ['SELECT 1, ^FILE(1)', /^Function FILE is not available here/],
  [
    'SELECT * FROM ^request_minute',
    /^There is no table request_minute here .* Did you mean requests_minute\? SHOW TABLES lists them all\./,
  ],
  ['SELECT * FROM ^system.tables', /^There is no table system\.tables here/],
  ['WITH x AS (SELECT 1) SELECT * FROM ^y', /^Unknown table 'y'/],
  ['SELECT ^_part FROM messages', /^Names that begin with an underscore/],
  ['SELECT ^lower(1)', /^Illegal type UInt8 of argument of function lower/],
  ['^DROP TABLE messages', /^DROP is not available here/],
];

t.test('an error points into the text of the caller', async (t) => {
  for (const [marked, message] of faults) {
    const sql = marked.replace('^', '');
    const before = [...marked.slice(0, marked.indexOf('^'))];
    const lines = before.join('').split('\n');
    const position = {
      offset: before.length,
      line: lines.length,
      column: [...(lines.at(-1) ?? '')].length + 1,
    };
    const refusal = await refusalOf(rowsOf(page, sql));
    t.match(refusal, { kind: 'invalidSql', message }, `${sql}: ${refusal?.message}`);
    t.same(refusal?.position, position, sql);
    t.match(refusal?.message, `line ${position.line}, column ${position.column}`, sql);
    t.notMatch(refusal?.message, /EXPLAIN|in scope|__table|\n|26\./, sql);
    t.notMatch(refusal?.message, `${pageSql.database}.`, sql);
  }
});

t.test('what stands in front of a fault moves its position', async () => {
  const space = fc.array(fc.constantFrom(' ', '\n', '\t', '/* ä 🙂 */', '-- x\n'), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(space, space, async (first, second) => {
      const before = `${first.join('')}SELECT ${second.join('')} 1 nowhere `;
      const refusal = await refusalOf(rowsOf(page, `${before}x`));
      const lines = before.split('\n');
      const expected = {
        offset: [...before].length,
        line: lines.length,
        column: [...(lines.at(-1) ?? '')].length + 1,
      };
      deepEqual(refusal?.position, expected);
    }),
    propertyOf(t, { few: 25, many: 250 }),
  );
});

import t from 'tap';
import { translateForTools } from '../../../analytics/sql/door.js';
import { answerFunctions } from '../../../analytics/sql/door-functions.js';
import { fillParameters } from '../../../analytics/sql/door-parameters.js';
import { answerTables } from '../../../analytics/sql/door-references.js';
import { rewriteSql } from '../../../analytics/sql/rewrite-sql.js';
import { checkParameters } from '../../../analytics/sql/sql-parameters.js';
import { findName } from '../../../analytics/sql/sql-refusal.js';
import { type Token, tokensOf } from '../../../analytics/sql/tokens.js';
import { sqlLimits } from '../../../contract/sql-tables.js';
import { likeServiceError } from '../../support/like-service-error.js';

const session = { database: 'heartline', user: 'acme' };
const none = new Map<string, string>();

/** Fills a statement of a length: the longest that the interface takes by default. */
function filledWith(
  repeated: string,
  { start = 'SELECT ', end = '', bytes = sqlLimits.queryBytes as number } = {},
): string {
  const times = Math.floor((bytes - start.length - end.length) / repeated.length);
  return start + repeated.repeat(times) + end;
}

/** Counts how often a function reads a token of a statement. */
function readsOf(
  sql: string,
  read: (tokens: readonly Token[]) => unknown,
): { reads: number; tokens: number } {
  let reads = 0;
  const tokens = new Proxy(tokensOf(sql), {
    get(list, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(list, key, receiver);
    },
  });
  try {
    read(tokens);
  } catch {
    // A refusal reads tokens as well.
  }
  return { reads, tokens: tokens.length };
}

t.test('the work on a statement grows with its length, and not with its square', (t) => {
  const steps: Record<string, (sql: string) => (tokens: readonly Token[]) => unknown> = {
    fillParameters: (sql) => (tokens) => fillParameters(sql, tokens, new Map([['a', 'x']])),
    checkParameters: (sql) => (tokens) => checkParameters(sql, tokens, { from: 0, to: 1 }),
    answerFunctions: () => (tokens) => answerFunctions(tokens, session),
    answerTables: () => (tokens) => answerTables(tokens, session.database),
    rewriteSql: (sql) => (tokens) => rewriteSql(sql, tokens, session.database),
    findName: () => (tokens) => findName(tokens, `${'b.'.repeat(10_000)}x`),
  };
  const bytes = 8_000;
  const statements = [
    ...['{a:', '{a:String},', '{a:b}', '{', '{from:DateTime},', 'version(),', 'user(', 'a.b.', '(', ','],
  ].map((repeated) => filledWith(repeated, { bytes }));
  const tables = ['system.one,', 'system.nowhere,', 'a.b,'].map((name) =>
    filledWith(name, { start: 'SELECT 1 FROM ', bytes }),
  );
  const columns = filledWith('system.one.dummy,', { end: '1 FROM system.one', bytes });
  const views = filledWith('checks.ok,', { end: '1 FROM checks AS c', bytes });
  for (const [name, step] of Object.entries(steps)) {
    for (const sql of [...statements, ...tables, columns, views]) {
      const { reads, tokens } = readsOf(sql, step(sql));
      t.ok(reads <= 50 * tokens, `${name} ${sql.slice(0, 30)}: ${reads} reads of ${tokens} tokens`);
    }
  }
  t.end();
});

t.test('a statement that grows beyond what ClickHouse reads is refused before it is put together', (t) => {
  const value = new Map([['a', 'é'.repeat(7_000)]]);
  for (const sql of [
    filledWith('system.columns,', { start: 'SELECT 1 FROM ', end: 'system.columns' }),
    filledWith('system.one,', { start: 'SELECT 1 FROM ', end: 'system.one' }),
    filledWith('INFORMATION_SCHEMA.COLUMNS JOIN ', { start: 'SELECT 1 FROM ', end: 'system.one' }),
    filledWith('serverUUID(),', { end: '1' }),
    `SELECT ${'{a:String},'.repeat(20)}1`,
  ]) {
    t.throws(
      () => translateForTools(sql, session, value),
      likeServiceError('invalidSql', { storeCode: 62 }),
      sql.slice(0, 60),
    );
  }
  const { sql = '' } = translateForTools(`SELECT ${'{a:String},'.repeat(10)}1`, session, value);
  t.ok(sql.length > 70_000 && Buffer.byteLength(sql) <= 262_144, 'a long one that ClickHouse reads is not');
  const several =
    'SELECT 1 FROM system.columns, system.columns AS b, system.tables, information_schema.columns AS c';
  t.ok(translateForTools(several, session, none).sql);
  t.end();
});

t.test('the numbers of parameters and of tokens are bounded', (t) => {
  const value = new Map([['a', '1']]);
  const { sql } = translateForTools(`SELECT ${'{a:UInt8},'.repeat(99)}{a:UInt8}`, session, value);
  t.equal(sql, `SELECT ${" CAST('1', 'UInt8') ,".repeat(99)} CAST('1', 'UInt8') `);
  t.throws(
    () => translateForTools(`SELECT ${'{a:UInt8},'.repeat(100)}{a:UInt8}`, session, value),
    likeServiceError('invalidSql', { storeCode: 457 }),
  );
  for (const repeated of ['{a:', '1,', '(', '+', 'a.b,']) {
    const refused = likeServiceError('invalidSql', { storeCode: 168 });
    t.throws(() => translateForTools(filledWith(repeated), session, none), refused, repeated);
  }
  const long = `SELECT 1 IN (${'1,'.repeat(20_000)}1)`;
  t.equal(translateForTools(long, session, none).sql, long);
  t.end();
});

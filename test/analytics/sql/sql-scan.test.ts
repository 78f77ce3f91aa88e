import { text } from 'node:stream/consumers';
import t from 'tap';
import { checkSql } from '../../../analytics/sql/check-sql.js';
import { isAllowedFunction } from '../../../analytics/sql/sql-functions.js';
import { sqlUserSettings } from '../../../contract/sql-tables.js';
import { openTestClickHouse } from '../../support/stores.js';

/**
 * Every allowed function with the largest arguments that a page can make, alone and with one of them different for each
 * row, under all its names. A call that ClickHouse cannot stop must end soon by itself. The whole takes more than half an
 * hour on two busy cores; set this to 1 for it.
 */
const sampleOneIn = 31;
/** Each day measures other statements. To repeat a failure, put the number that the test printed here. */
const sampleAt = Math.floor(Date.now() / 86_400_000) % sampleOneIn;
/** Instead of 10 s, so that the scan is over sooner. */
const limitSeconds = 1;
/** Loading tables, a busy machine and one call on large arguments. An array search as large took minutes. */
const graceMs = 15_000;

const { clickhouse } = await openTestClickHouse(t);
const settings = Object.entries({ ...sqlUserSettings, max_execution_time: limitSeconds })
  .filter(([name]) => name !== 'readonly')
  .map(([name, value]) => `${name} = '${value}'`)
  .join(', ');

/** `x` is different for each row. Capital letters stand for large constants, which the tree does not show as such. */
const values: Record<string, string> = {
  n: 'x',
  s: 'toString(x)',
  a: '[x + 1000000, x + 1]',
  t: '[toString(x)]',
  A: 'range(100000)',
  S: 'arrayMap(i -> toString(i), range(30000))',
  // 5 MB, as a page can make from the texts of its rows.
  C: "arrayStringConcat(arrayMap(i -> 'the quick brown fox, jumped over the lazy dogs,ab,', range(100000)))",
  J: "concat('[', arrayStringConcat(arrayMap(i -> '1,', range(100000))), '1]')",
  I: '3',
  L: "','",
  P: "'ij'",
  R: "'(qu)(i)'",
  F: 'y -> y = x',
  G: 'y -> y',
};
const forms = [
  ...[
    'A',
    'S',
    'C',
    'J',
    'An',
    'nA',
    'Aa',
    'aA',
    'AA',
    'Ss',
    'sS',
    'St',
    'tS',
    'Cs',
    'sC',
    'Cn',
    'nC',
    'CC',
    'CL',
    'LC',
  ],
  ...[
    'CI',
    'Jn',
    'JI',
    'Js',
    'FA',
    'FS',
    'GA',
    'GS',
    'FAA',
    'nAA',
    'nAAI',
    'AnI',
    'Ann',
    'AAn',
    'CLn',
    'CsL',
    'CIn',
    'CnI',
    'Css',
    'ssC',
    'LCn',
  ],
  // Pairs of large arguments, and literal patterns beside a value of the row.
  ...[
    'SS',
    'CS',
    'SC',
    'JC',
    'ASI',
    'AAA',
    'CPn',
    'CPs',
    'CRn',
    'CRs',
    'CPnI',
    'CRnI',
    'CPIn',
    'PC',
    'PCn',
    'PCs',
  ],
];
const windows = ['OVER (ORDER BY x)', 'OVER (ORDER BY x ROWS BETWEEN 10000 PRECEDING AND CURRENT ROW)'];
/** Combinators put between the name of an aggregate function and its argument. */
const overRows = [
  '(x)',
  '(toString(x))',
  '(x, x)',
  '(x, x + 1)',
  '(10)(x)',
  'Array(range(5000))',
  'ForEach(range(5000))',
];

type Named = { name: string; is_aggregate: number };

async function listFunctions(): Promise<Named[]> {
  const answer = await clickhouse.query({
    query: 'SELECT name, is_aggregate FROM system.functions ORDER BY name',
    format: 'JSONEachRow',
  });
  return (await answer.json<Named>()).filter(({ name }) => isAllowedFunction(name));
}

function statementsFor({ name, is_aggregate }: Named): string[] {
  if (is_aggregate === 0) {
    return forms.map((form) => {
      const args = [...form].map((letter) => values[letter]).join(', ');
      return `SELECT length(arrayMap(x -> ${name}(${args}), range(100000)))`;
    });
  }
  return [
    ...overRows.map(
      (args) => `SELECT ${name}${args} AS r FROM (SELECT number AS x FROM numbers(3000000)) LIMIT 1`,
    ),
    ...windows.map(
      (window) =>
        `SELECT count() FROM (SELECT ${name}(x) ${window} AS r FROM (SELECT number AS x FROM numbers(300000))) WHERE toString(r) = ''`,
    ),
  ];
}

async function isAvailable(statement: string): Promise<boolean> {
  try {
    // A FORMAT in the statement would become a part of the tree.
    const { stream } = await clickhouse.exec({
      query: `EXPLAIN AST (${statement})`,
      http_headers: { 'X-ClickHouse-Format': 'TSVRaw' },
    });
    checkSql((await text(stream)).trimEnd().split('\n'), { database: 'heartline' });
    return true;
  } catch {
    // Refused, or not the form of the function.
    return false;
  }
}

/** Runs the statement as a page's; an error is as good as a result. Returns how long the server was busy. */
async function measure(query: string): Promise<number> {
  const startedAt = performance.now();
  try {
    await clickhouse.command({
      query: `${query} SETTINGS ${settings} FORMAT Null`,
      abort_signal: AbortSignal.timeout(limitSeconds * 1_000 + graceMs),
    });
  } catch {
    // The time counts.
  }
  return performance.now() - startedAt;
}

t.test('every call of an allowed function ends soon after the limit', { timeout: 900_000 }, async (t) => {
  const statements = (await listFunctions()).flatMap(statementsFor);
  t.comment(`statement ${sampleAt} of every ${sampleOneIn}`);
  let measured = 0;
  for (const [i, statement] of statements.entries()) {
    if (i % sampleOneIn !== sampleAt || !(await isAvailable(statement))) continue;
    const ms = await measure(statement);
    measured += 1;
    if (ms > limitSeconds * 1_000 + graceMs) {
      t.fail(`${Math.round(ms)} ms: ${statement}`);
      // A query that runs on would slow down the rest.
      await clickhouse.command({ query: "KILL QUERY WHERE user != '' AND elapsed > 1 ASYNC" });
    }
  }
  t.ok(measured > 200, `${measured} calls`);
});

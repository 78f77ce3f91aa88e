import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { sqlLimits } from '../../../contract/sql-tables.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { waitUntil } from '../../support/wait-until.js';
import { newPageId, openTestPageSql, slowSql } from '../support.js';

const { clickhouse, pageSql } = await openTestPageSql(t);
const page = newPageId();
const run = (sql: string, signal?: AbortSignal) => runPageSql(pageSql, page, { sql, format: 'CSV' }, signal);

async function running(): Promise<number> {
  const result = await clickhouse.query({
    query:
      "SELECT toUInt32(count()) AS n FROM system.processes WHERE query LIKE '%cityHash64(a.number%' AND user LIKE '%_sql'",
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ n: number }>();
  return row?.n ?? 0;
}

t.test('a query ends at its limit of rows or memory', async (t) => {
  await t.rejects(
    run('SELECT sum(number) FROM numbers(1000000000)'),
    likeServiceError('sqlTooExpensive'),
    'rows',
  );
  const memory = 'SELECT length(groupArray(toString(number))) FROM numbers(100000000)';
  await t.rejects(run(memory), likeServiceError('sqlTooExpensive'), 'memory');
});

t.test('the server has the limit of time, which stops a query', async (t) => {
  const asked = await pageSql.sqlClient.query({
    query: "SELECT toUInt32(getSetting('max_execution_time')), toString(getSetting('timeout_overflow_mode'))",
    format: 'JSONCompactEachRow',
  });
  // A query that runs into it takes 10 s on all cores: sql-time-limit.test.ts.
  t.strictSame(await asked.json(), [[sqlLimits.timeSeconds, 'throw']]);
});

t.test('a result ends at its limit of rows or bytes', async (t) => {
  await t.rejects(run('SELECT number FROM numbers(1000001)'), likeServiceError('sqlResultTooLarge'));
  const wide =
    "SELECT randomNumber, lower(hex(toString(rand64(number)))) || '0123456789' FROM (SELECT number, rand64() AS randomNumber FROM numbers(900000))";
  await t.rejects(run(wide), likeServiceError('sqlResultTooLarge'));
});

t.test('a pattern that takes forever is refused', async (t) => {
  for (const sql of [
    "SELECT match('aaa', '((a?){1,30}){1,30}b')",
    "SELECT position('aaa', materialize('b'))",
    `SELECT 'aaa' LIKE '${'%a'.repeat(200)}'`,
    "SELECT levenshteinDistance('a', 'b')",
    "SELECT repeat('a', 1000000)",
  ]) {
    await t.rejects(run(sql), likeServiceError('invalidSql'), sql);
  }
});

t.test('two queries run at a time; an abandoned one makes room when the server has stopped it', async (t) => {
  const callers = [new AbortController(), new AbortController(), new AbortController()];
  const queries = callers.map(({ signal }) => run(slowSql, signal).catch((error: unknown) => error));
  await waitUntil('two queries run', async () => (await running()) === 2);
  for (const caller of callers) caller.abort();
  for (const result of await Promise.all(queries)) t.match(result, { name: 'AbortError' });
  await waitUntil('no query runs', async () => (await running()) === 0, 8_000);
  t.equal((await run('SELECT 1')).toString(), '"1"\n1\n');
});

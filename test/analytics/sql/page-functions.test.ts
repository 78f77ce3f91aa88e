import t from 'tap';
import { functionsPerCallMax, mergesPerCallMax } from '../../../analytics/sql/page-functions.js';
import { rewriteSql } from '../../../analytics/sql/rewrite-sql.js';
import { tokensOf } from '../../../analytics/sql/tokens.js';
import { seeded } from '../../../bench/support/batches.js';
import { countAtMost, nearestKeyOf, percentileOf } from '../../../lib/latency-buckets.js';
import { minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';
import { mergeBuckets, randomGroups } from '../../support/random-buckets.js';
import { newPageId, openTestPageSql, refusalOf } from '../support.js';

const { numRuns, seed } = propertyOf(t, { few: 100, many: 2_000 });
const { clickhouse, rowsOf } = await openTestPageSql(t);
const page = newPageId();
const groups = randomGroups(seeded(seed), numRuns);
const start = Math.floor(Date.now() / minuteMs) * 60 - 3_600;
await clickhouse.insert({
  table: 'requests_minute',
  format: 'JSONEachRow',
  values: groups.flatMap((parts, group) =>
    parts.map((buckets, place) => ({
      ...{
        page_id: page,
        kind: 'service',
        service: 'api',
        endpoint: `/${group}`,
        method: 'GET',
        status: 200,
      },
      ...{ minute: start + place * 60, requests: 6, latency_buckets: Object.fromEntries(buckets) },
    })),
  ),
});
const ofGroups = (expressions: string): Promise<Record<string, unknown>[]> =>
  rowsOf(
    page,
    `SELECT ${expressions} FROM requests_minute GROUP BY endpoint ORDER BY toUInt32(substring(endpoint, 2))`,
  );

/** The groups for which two lists differ, at most three of them. */
function differences(found: readonly unknown[], wanted: readonly unknown[]): unknown[] {
  const pairs = wanted.map((one, group) => ({ group, found: found[group], wanted: one }));
  return pairs.filter((pair) => JSON.stringify(pair.found) !== JSON.stringify(pair.wanted)).slice(0, 3);
}

t.test('percentile is what the API answers, to the last bit', async (t) => {
  const ranks = [0.5, 0.9, 0.999];
  const rows = await ofGroups(
    ranks.map((rank, at) => `percentile(latency_buckets, ${rank}) AS p${at}`).join(),
  );
  const found = rows.map((row) => ranks.map((_, at) => row[`p${at}`]));
  const wanted = groups.map((parts) => ranks.map((rank) => percentileOf(mergeBuckets(parts), rank) ?? null));
  t.equal(found.length, groups.length);
  t.same(differences(found, wanted), []);
});

t.test('shareUnder and apdex count whole buckets up to the nearest bound', async (t) => {
  const thresholdsMs = [0.1, 200, 299.9, 10_000];
  const columns = thresholdsMs.flatMap((ms, at) => [
    `shareUnder(latency_buckets, ${ms}) AS s${at}`,
    `apdex(latency_buckets, ${ms}) AS a${at}`,
  ]);
  const rows = await ofGroups(columns.join());
  const found = rows.map((row) => thresholdsMs.flatMap((_, at) => [row[`s${at}`], row[`a${at}`]]));
  const wanted = groups.map((parts) => {
    const merged = mergeBuckets(parts);
    const all = merged.counts.reduce((sum, count) => sum + count, 0);
    const under = (ms: number) => countAtMost(merged, nearestKeyOf(ms));
    return thresholdsMs.flatMap((ms) =>
      all === 0 ? [null, null] : [under(ms) / all, (under(ms) + under(4 * ms)) / 2 / all],
    );
  });
  t.same(differences(found, wanted), []);
});

t.test('rate divides by the seconds that the rows stand for', async (t) => {
  const rows = await ofGroups('rate(requests) AS perSecond, rate(requests, 12) AS given');
  const wanted = groups.map((parts) => ({ perSecond: 0.1, given: parts.length / 2 }));
  t.same(differences(rows, wanted), []);
  await clickhouse.insert({
    table: 'requests_hour',
    format: 'JSONEachRow',
    values: [0, 1].map((place) => ({
      page_id: page,
      hour: start - (start % 3_600) + place * 3_600,
      requests: 7_200,
    })),
  });
  t.same(await rowsOf(page, 'SELECT rate(requests) AS n FROM requests_hour'), [{ n: 2 }]);
});

t.test('a call without a name is a column with its text as the name', async (t) => {
  const [row = {}] = await rowsOf(
    page,
    'SELECT percentile(r.latency_buckets, 0.5), rate(requests) perSecond, apdex(`latency_buckets`, 1) > 0.1 AS good FROM requests_minute AS r HAVING shareUnder(latency_buckets, 100) >= 0 ORDER BY rate(requests) DESC',
  );
  t.same(Object.keys(row), ['percentile(r.latency_buckets, 0.5)', 'perSecond', 'good']);
});

t.test('a mistake has its place in the text that was written', async (t) => {
  const mistakes: Record<string, [column: number, message: string]> = {
    'percentile(latency_buckets)': [8, 'percentile lacks its second argument'],
    'percentile(latency_buckets, 95)': [36, 'The percentile must be between 0 and 1'],
    'percentile(1, 0.5)': [19, 'The first argument of percentile must be the name of a column'],
    'percentile(max(latency_buckets), 0.5)': [22, 'percentile takes the name of a column and a number'],
    'percentile(latency_buckets, 0.5, 1)': [39, 'percentile takes the name of a column and a number'],
    'shareUnder(latency_buckets, 0)': [36, 'The milliseconds of shareUnder must be more than 0'],
    "apdex(latency_buckets, '300')": [31, 'apdex takes the name of a column and a number'],
    'rate(requests, 0)': [23, 'The seconds of rate must be more than 0'],
    'rate(requests) OVER ()': [23, 'rate takes no OVER'],
    'percentile(latency_bucket, 0.5)': [19, 'Unknown column'],
  };
  const found = await Promise.all(
    Object.keys(mistakes).map(async (call) => {
      const refusal = await refusalOf(rowsOf(page, `SELECT ${call} FROM requests_minute`));
      return [call, refusal?.position?.column, refusal?.message];
    }),
  );
  for (const [call, column, message] of found) {
    const [wantedColumn, wanted = ''] = mistakes[String(call)] ?? [];
    t.equal(column, wantedColumn, String(call));
    t.match(message, wanted, String(call));
  }
  const joined = 'SELECT rate(a.requests) FROM requests_minute AS a, requests_hour AS b';
  t.match((await refusalOf(rowsOf(page, joined)))?.message, /rate\(requests, 3600\) for groups of an hour/);
  for (const sql of [
    'SELECT toStartOfHour(minute) AS minute, rate(requests) FROM requests_minute GROUP BY minute',
    'SELECT rate(n) FROM (SELECT toStartOfHour(minute) minute, sum(requests) AS n FROM requests_minute GROUP BY minute)',
  ]) {
    t.match(
      (await refusalOf(rowsOf(page, sql)))?.message,
      /rate\(requests, 3600\) for groups of an hour/,
      sql,
    );
  }
  const many = Array.from({ length: 21 }, (_, n) => `rate(requests, ${n + 1})`).join();
  const tooMany = await refusalOf(rowsOf(page, `SELECT ${many} FROM requests_minute`));
  t.match(tooMany?.message, 'At most 20 are available');
});

t.test('the limit of functions grows by no more than a call stands for', async (t) => {
  const longest = ['percentile(b, 0.123456789)', 'apdex(b, 0.1)', 'shareUnder(b, 86400000)', 'rate(b, 60)'];
  const counts = await Promise.all(
    longest.map(async (call) => {
      const sql = `SELECT ${call} FROM requests_minute`;
      const query = `EXPLAIN AST ${rewriteSql(sql, tokensOf(sql), 'heartline')?.sql}`;
      const tree = (await (await clickhouse.query({ query, format: 'TabSeparatedRaw' })).text()).split('\n');
      const named = (name: string) => tree.filter((line) => line.trimStart().startsWith(name)).length;
      return { functions: named('Function '), merges: named('Function sumMap') };
    }),
  );
  t.equal(Math.max(...counts.map(({ functions }) => functions)), functionsPerCallMax);
  t.equal(Math.max(...counts.map(({ merges }) => merges)), mergesPerCallMax);
  const many = Array.from({ length: 301 }, () => 'abs(1)').join();
  const refusal = await refusalOf(rowsOf(page, `SELECT rate(requests, 1), ${many} FROM requests_minute`));
  t.match(refusal?.message, /The statement has \d+ functions/);
});

t.test('what ClickHouse may take for a text is not rewritten', async (t) => {
  const heredoc = 'SELECT $-$ rate("$-$ /*", 60) */ , "*/ , sleep(3) --"';
  t.match((await refusalOf(rowsOf(page, heredoc)))?.message, /^A \$ outside of a text/);
  const rows = await rowsOf(
    page,
    'SELECT $$rate(requests, 1)$$ AS text, rate(requests, 1) > 0 AS is FROM requests_hour',
  );
  t.same(rows, [{ text: 'rate(requests, 1)', is: 1 }]);
  t.match(
    (await refusalOf(rowsOf(page, 'SELECT sumMap(latency_buckets) FROM requests_hour')))?.message,
    'sumMap',
  );
});

t.test('a name that is no call stays as it is', (t) => {
  const texts = [
    'SELECT sum(requests) AS rate FROM requests_minute ORDER BY rate',
    "SELECT 'percentile(latency_buckets, 0.5)' -- apdex(x, 1)",
    'SELECT t.rate(1)',
  ];
  t.same(
    texts.filter((sql) => rewriteSql(sql, tokensOf(sql), 'heartline') !== undefined),
    [],
  );
  t.end();
});

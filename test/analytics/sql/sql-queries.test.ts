import t from 'tap';
import { insertReports, insertRequests, newPageId, openTestPageSql } from '../support.js';

const { clickhouse, pageSql, rowsOf } = await openTestPageSql(t);
const page = newPageId();
const at = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
await insertRequests(clickhouse, page, [
  { at, endpoint: '/a', latencyMs: [10, 20, 30] },
  { at: at + 60_000, endpoint: '/b', status: 500, latencyMs: [40], message: 'file(/x) failed' },
]);
await insertReports(clickhouse, page, { kind: 'service', service: 'api' }, [at, at + 60_000]);

const answers: [sql: string, rows: Record<string, unknown>[]][] = [
  ['SELECT 1 AS x', [{ x: 1 }]],
  ['SELECT 1 AS x;', [{ x: 1 }]],
  ['SELECT 1 AS x -- with a remark', [{ x: 1 }]],
  ['/* first */ SELECT 1 AS x ; \n ;', [{ x: 1 }]],
  ['(SELECT 1 AS x)', [{ x: 1 }]],
  ['FROM numbers(2) SELECT number', [{ number: 0 }, { number: 1 }]],
  ['SELECT sum(generate_series) AS s FROM generate_series(1, 4)', [{ s: 10 }]],
  ["SELECT 'file(''/etc/passwd'')' AS x", [{ x: "file('/etc/passwd')" }]],
  ["SELECT 'a' AS `file('x')`", [{ "file('x')": 'a' }]],
  [
    "SELECT 'SELECT * FROM system.tables SETTINGS x = 1 FORMAT JSON' AS x",
    [{ x: 'SELECT * FROM system.tables SETTINGS x = 1 FORMAT JSON' }],
  ],
  ["SELECT 'line\\n  Function file (children 1)' AS x", [{ x: 'line\n  Function file (children 1)' }]],
  ["SELECT count() AS n FROM messages WHERE latest.message LIKE '%file(%'", [{ n: 1 }]],
  ['SELECT sum(requests) AS n FROM requests_minute', [{ n: 4 }]],
  [`SELECT sum(requests) AS n FROM ${pageSql.database}.requests_hour`, [{ n: 4 }]],
  ['SELECT sum(m.requests) AS n FROM requests_minute AS m FINAL', [{ n: 4 }]],
  [
    'SELECT endpoint, SUM(requests) AS n FROM requests_minute GROUP BY 1 ORDER BY n DESC',
    [
      { endpoint: '/a', n: 3 },
      { endpoint: '/b', n: 1 },
    ],
  ],
  ['SELECT sumIf(requests, status >= 500) / sum(requests) AS rate FROM requests_minute', [{ rate: 0.25 }]],
  [
    'SELECT round(sum(latency_sum_us) / sum(latency_count) / 1000, 1) AS ms FROM requests_minute',
    [{ ms: 25 }],
  ],
  [
    "SELECT arrayMap(key -> round(key % 1000 * exp10(intDiv(key, 1000) - 3) / 1.025, 2), quantilesExactWeightedArray(0.5, 0.95, 0.99)(mapKeys(latency_buckets), mapValues(latency_buckets))) AS q FROM requests_minute WHERE endpoint = '/b'",
    [{ q: [39.02, 39.02, 39.02] }],
  ],
  [
    'SELECT sum(arraySum(mapValues(mapFilter((key, counted) -> key <= 2300, latency_buckets)))) AS n FROM requests_minute',
    [{ n: 3 }],
  ],
  [
    'WITH t AS (SELECT endpoint, sum(requests) AS n FROM requests_minute GROUP BY endpoint) SELECT max(n) AS n FROM t',
    [{ n: 3 }],
  ],
  ['WITH t(e) AS (SELECT DISTINCT endpoint FROM requests_minute) SELECT count(e) AS n FROM t', [{ n: 2 }]],
  [
    'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) AS s FROM t',
    [{ s: 15 }],
  ],
  ['WITH 5 AS five SELECT five * 2 AS x', [{ x: 10 }]],
  [
    'SELECT m.endpoint AS e, h.latest.message AS t FROM requests_minute AS m JOIN messages AS h USING (service, endpoint, minute)',
    [{ e: '/b', t: 'file(/x) failed' }],
  ],
  [
    'SELECT r.endpoint AS e, calls FROM requests_minute AS r LEFT JOIN reports AS p ON r.minute = p.minute ORDER BY e',
    [
      { e: '/a', calls: 1 },
      { e: '/b', calls: 1 },
    ],
  ],
  [
    'SELECT endpoint, row_number() OVER (ORDER BY minute DESC) AS n FROM requests_minute ORDER BY n',
    [
      { endpoint: '/b', n: 1 },
      { endpoint: '/a', n: 2 },
    ],
  ],
  [
    'SELECT lagInFrame(requests) OVER w AS before FROM requests_minute WINDOW w AS (ORDER BY minute) ORDER BY minute',
    [{ before: 0 }, { before: 3 }],
  ],
  [
    'SELECT sum(requests) OVER (ORDER BY minute ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM requests_minute ORDER BY minute',
    [{ s: 3 }, { s: 4 }],
  ],
  [
    'SELECT toStartOfInterval(minute, INTERVAL 1 HOUR) AS h, count() AS n FROM requests_minute GROUP BY h',
    [{ h: new Date(at).toISOString().slice(0, 19).replace('T', ' '), n: 2 }],
  ],
  [
    'SELECT count() AS n FROM requests_minute WHERE minute >= now() - INTERVAL 1 DAY AND status BETWEEN 500 AND 599',
    [{ n: 1 }],
  ],
  [
    'SELECT count() AS n FROM requests_minute WHERE (service, endpoint) IN (SELECT service, endpoint FROM messages)',
    [{ n: 1 }],
  ],
  ["SELECT endpoint FROM requests_minute WHERE endpoint IN ('/a', '/z')", [{ endpoint: '/a' }]],
  ['SELECT EXISTS(SELECT 1 FROM messages) AS x', [{ x: 1 }]],
  [
    "SELECT CASE WHEN status >= 500 THEN 'bad' ELSE 'good' END AS c FROM requests_minute ORDER BY c",
    [{ c: 'bad' }, { c: 'good' }],
  ],
  ['SELECT if(1, NULL, 2) AS x, coalesce(NULL, 3) AS y', [{ x: null, y: 3 }]],
  ['SELECT arraySum(x -> x * x, [1, 2, 3]) AS a, arrayFilter(x -> x > 1, [1, 2]) AS b', [{ a: 14, b: [2] }]],
  ['SELECT arrayJoin([1, 2]) AS x', [{ x: 1 }, { x: 2 }]],
  ['SELECT x FROM (SELECT [1, 2] AS xs) ARRAY JOIN xs AS x', [{ x: 1 }, { x: 2 }]],
  ["SELECT map('a', 1)['a'] AS x, (1, 'b').2 AS y, [5, 6][2] AS z", [{ x: 1, y: 'b', z: 6 }]],
  [
    "SELECT JSONExtractInt('{\"a\": 7}', 'a') AS x, JSONExtract('{\"a\": [1]}', 'a', 'Array(UInt8)') AS y",
    [{ x: 7, y: [1] }],
  ],
  [
    "SELECT '2026-01-02'::Date AS d, CAST('7' AS UInt8) AS n, toUInt8OrNull('x') AS o",
    [{ d: '2026-01-02', n: 7, o: null }],
  ],
  [
    "SELECT toTimezone(toDateTime('2026-01-02 00:00:00', 'UTC'), 'Asia/Tokyo')::DateTime('Asia/Tokyo')::String AS d",
    [{ d: '2026-01-02 09:00:00' }],
  ],
  ["SELECT lower(upper('aB')) || '!' AS s, splitByChar('/', '/a/b') AS p", [{ s: 'ab!', p: ['', 'a', 'b'] }]],
  [
    "SELECT match('/u/7', '^/u/[0-9]{1,10}$') AS m, extract('x42', '[0-9]+') AS e, replaceRegexpAll('a1', '[0-9]', '#') AS r",
    [{ m: 1, e: '42', r: 'a#' }],
  ],
  [
    'SELECT uniq(endpoint) AS u, topK(1)(service) AS k, argMax(endpoint, minute) AS a, groupArraySorted(2)(endpoint) AS g FROM requests_minute',
    [{ u: 2, k: ['api'], a: '/b', g: ['/a', '/b'] }],
  ],
  ['SELECT uniqMerge(s) AS n FROM (SELECT uniqState(endpoint) AS s FROM requests_minute)', [{ n: 2 }]],
  [
    'SELECT endpoint, sum(requests) AS n FROM requests_minute GROUP BY ROLLUP(endpoint) ORDER BY endpoint',
    [
      { endpoint: '', n: 4 },
      { endpoint: '/a', n: 3 },
      { endpoint: '/b', n: 1 },
    ],
  ],
  [
    'SELECT * EXCEPT (page_id, latency_sketch, latency_buckets, latency_sum_us, latency_count, kind, minute, method) FROM requests_minute ORDER BY endpoint LIMIT 1',
    [{ service: 'api', endpoint: '/a', status: 200, requests: 3 }],
  ],
  [
    "SELECT COLUMNS('^(calls|service)$') FROM reports ORDER BY minute LIMIT 1",
    [{ service: 'api', calls: 1 }],
  ],
  [
    'SELECT requests * 2 AS r FROM (SELECT * REPLACE (requests + 1 AS requests) FROM requests_minute) ORDER BY r',
    [{ r: 4 }, { r: 8 }],
  ],
  ['SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL FROM 0 TO 3', [{ n: 0 }, { n: 1 }, { n: 2 }]],
  [
    'SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3) ORDER BY x',
    [{ x: 1 }, { x: 2 }, { x: 3 }],
  ],
  ['SELECT 1 AS x INTERSECT SELECT 1', [{ x: 1 }]],
  ['SELECT endpoint FROM requests_minute ORDER BY minute DESC LIMIT 1 BY service', [{ endpoint: '/b' }]],
  [
    'SELECT DISTINCT service FROM requests_minute QUALIFY row_number() OVER (ORDER BY minute) = 1',
    [{ service: 'api' }],
  ],
  ['SELECT latest.message AS "größe" FROM messages', [{ größe: 'file(/x) failed' }]],
];

t.test('answers typical queries of data engineers', async (t) => {
  for (const [sql, rows] of answers) {
    const answer = await rowsOf(page, sql).catch(String);
    t.same(answer, rows, sql);
  }
});

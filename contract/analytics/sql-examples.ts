/** A statement that answers a question, for the dashboard and, some of them, docs/sql.md. */
export type SqlExample = { id: string; title: string; answers: string; sql: string };

const inRange = (column: string) => `${column} >= {from:DateTime} AND ${column} < {to:DateTime}`;
const percentiles = 'quantilesBFloat16WeightedArrayMerge(0.5, 0.95, 0.99)(latency_sketch)';
/** At most 120 points. */
const step = "toIntervalMinute(greatest(1, intDiv(dateDiff('minute', {from:DateTime}, {to:DateTime}), 120)))";

/** Each aggregates, because two rows of the same key may coexist for a while. */
export const sqlExamples = [
  {
    id: 'totals',
    title: 'All requests in three figures',
    answers: 'How much traffic there was, how much of it failed, and what the 95th percentile was.',
    sql: `SELECT
    sum(requests) AS total,
    round(sumIf(requests, status >= 500) / total, 4) AS failure_share,
    round(${percentiles}[2], 1) AS p95_ms
FROM service_requests_minute
WHERE ${inRange('minute')}`,
  },
  {
    id: 'failing-endpoints',
    title: 'Endpoints by their share of failures',
    answers: 'Where users meet errors most often, with the percentiles of the response times.',
    sql: `SELECT
    service,
    endpoint,
    sum(requests) AS total,
    round(sumIf(requests, status >= 500) / total, 4) AS failure_share,
    arrayMap(ms -> round(ms, 1), ${percentiles}) AS percentiles_ms
FROM requests_minute
WHERE ${inRange('minute')}
GROUP BY service, endpoint
ORDER BY failure_share DESC, total DESC
LIMIT 20`,
  },
  {
    id: 'slow-endpoints',
    title: 'The slowest endpoints',
    answers: 'Where users wait longest: the 95th percentile of endpoints that are called at all.',
    sql: `SELECT
    concat(service, ' ', endpoint) AS endpoint_of_service,
    round(${percentiles}[2], 1) AS p95_ms
FROM requests_minute
WHERE ${inRange('minute')} AND latency_count > 0
GROUP BY endpoint_of_service
ORDER BY p95_ms DESC
LIMIT 15`,
  },
  {
    id: 'rate-by-class',
    title: 'Requests over time by class of status',
    answers: 'When failures began, and whether the traffic changed with them.',
    sql: `SELECT
    toStartOfInterval(minute, ${step}) AS time,
    sumIf(requests, status < 400) AS good,
    sumIf(requests, status >= 400 AND status < 500) AS refused,
    sumIf(requests, status >= 500) AS failed
FROM service_requests_minute
WHERE ${inRange('minute')}
GROUP BY time
ORDER BY time`,
  },
  {
    id: 'percentiles-over-time',
    title: 'Response times over time',
    answers: 'Whether everything became slow, or only the slowest requests.',
    sql: `WITH ${percentiles} AS percentiles
SELECT
    toStartOfInterval(minute, ${step}) AS time,
    round(percentiles[1], 1) AS p50_ms,
    round(percentiles[2], 1) AS p95_ms,
    round(percentiles[3], 1) AS p99_ms
FROM service_requests_minute
WHERE ${inRange('minute')} AND latency_count > 0
GROUP BY time
ORDER BY time`,
  },
  {
    id: 'slower-than-before',
    title: 'What became slower',
    answers: 'The endpoints whose 95th percentile grew most against the period of the same length before.',
    sql: `WITH {from:DateTime} - dateDiff('second', {from:DateTime}, {to:DateTime}) AS before
SELECT
    service,
    endpoint,
    round(quantilesBFloat16WeightedArrayMergeIf(0.5, 0.95, 0.99)(latency_sketch, minute < {from:DateTime})[2], 1) AS before_ms,
    round(quantilesBFloat16WeightedArrayMergeIf(0.5, 0.95, 0.99)(latency_sketch, minute >= {from:DateTime})[2], 1) AS now_ms
FROM requests_minute
WHERE minute >= before AND minute < {to:DateTime} AND latency_count > 0
GROUP BY service, endpoint
HAVING before_ms > 0 AND now_ms > 0
ORDER BY now_ms / before_ms DESC
LIMIT 10`,
  },
  {
    id: 'messages',
    title: 'The most frequent messages',
    answers:
      'What failing responses say, and at which endpoints. A message counts once an endpoint and minute.',
    sql: `SELECT message, count() AS minutes, groupUniqArray(5)(endpoint) AS endpoints
FROM
(
    SELECT endpoint, max(latest).message AS message
    FROM messages
    WHERE ${inRange('minute')}
    GROUP BY service, endpoint, minute
)
GROUP BY message
ORDER BY minutes DESC
LIMIT 20`,
  },
  {
    id: 'busiest-hours',
    title: 'The busiest hours of a week',
    answers: 'How the load follows the hours of the day, in UTC, over the last 7 days.',
    sql: `SELECT formatDateTime(hour, '%H:00') AS hour_of_day, sum(requests) AS total
FROM service_requests_hour
WHERE hour >= toStartOfHour(now() - INTERVAL 7 DAY)
GROUP BY hour_of_day
ORDER BY hour_of_day`,
  },
  {
    id: 'silence',
    title: 'Who has not called for longest',
    answers: 'Minutes since the last call of each service or reporter, and its calls in a day.',
    sql: `SELECT
    kind,
    service,
    dateDiff('minute', max(last_report_at), now64(3)) AS silent_minutes,
    sum(calls) AS calls_of_a_day
FROM reports
WHERE minute >= now() - INTERVAL 1 DAY
GROUP BY kind, service
ORDER BY silent_minutes DESC`,
  },
  {
    id: 'pool-waits',
    title: 'Waiting for a connection',
    answers: 'The bound in milliseconds below which 95 % of the acquisitions of each pool stay.',
    sql: `WITH
    arrayMap(n -> ifNull(n, 0), [
        sum(acquired_1ms), sum(acquired_5ms), sum(acquired_10ms), sum(acquired_25ms), sum(acquired_50ms), sum(acquired_100ms),
        sum(acquired_250ms), sum(acquired_500ms), sum(acquired_1000ms), sum(acquired_5000ms), sum(acquired_longer)]) AS counts
SELECT
    service, target, pool,
    arraySum(counts) AS acquisitions,
    ['1', '5', '10', '25', '50', '100', '250', '500', '1000', '5000', '> 5000'][
        arrayFirstIndex(upto -> upto >= 0.95 * acquisitions, arrayCumSum(counts))] AS p95_ms
FROM pools_minute
WHERE ${inRange('minute')} AND acquired_1ms IS NOT NULL
GROUP BY service, target, pool
ORDER BY acquisitions DESC`,
  },
] as const satisfies readonly SqlExample[];

export type SqlExampleId = (typeof sqlExamples)[number]['id'];

/** A statement that answers a question, for the dashboard and, some of them, docs/sql.md. */
export type SqlExample = { id: string; sql: string };

const inRange = (column: string) => `${column} >= {from:DateTime} AND ${column} < {to:DateTime}`;
const buckets = 'mapKeys(latency_buckets), mapValues(latency_buckets)';
/** Milliseconds of the key of a bucket: its upper bound. */
const upperMs = 'key % 1000 * exp10(intDiv(key, 1000) - 3)';
/** At most 120 points. */
const step = "toIntervalMinute(greatest(1, intDiv(dateDiff('minute', {from:DateTime}, {to:DateTime}), 120)))";

/** Each aggregates, because two rows of the same key may coexist for a while. */
export const sqlExamples = [
  {
    id: 'totals',
    sql: `SELECT
    sum(requests) AS total,
    round(sumIf(requests, status >= 500) / total, 4) AS failure_share,
    round(percentile(latency_buckets, 0.95), 1) AS p95_ms
FROM service_requests_minute
WHERE ${inRange('minute')}`,
  },
  {
    id: 'failing-endpoints',
    sql: `SELECT
    service,
    endpoint,
    sum(requests) AS total,
    round(sumIf(requests, status >= 500) / total, 4) AS failure_share,
    round(percentile(latency_buckets, 0.5), 1) AS p50_ms,
    round(percentile(latency_buckets, 0.95), 1) AS p95_ms
FROM requests_minute
WHERE ${inRange('minute')}
GROUP BY service, endpoint
ORDER BY failure_share DESC, total DESC
LIMIT 20`,
  },
  {
    id: 'slow-endpoints',
    sql: `SELECT
    concat(service, ' ', endpoint) AS endpoint_of_service,
    round(percentile(latency_buckets, 0.95), 1) AS p95_ms
FROM requests_minute
WHERE ${inRange('minute')} AND latency_count > 0
GROUP BY endpoint_of_service
ORDER BY p95_ms DESC
LIMIT 15`,
  },
  {
    id: 'rate-by-class',
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
    sql: `SELECT
    toStartOfInterval(minute, ${step}) AS time,
    round(percentile(latency_buckets, 0.5), 1) AS p50_ms,
    round(percentile(latency_buckets, 0.95), 1) AS p95_ms,
    round(percentile(latency_buckets, 0.99), 1) AS p99_ms
FROM service_requests_minute
WHERE ${inRange('minute')} AND latency_count > 0
GROUP BY time
ORDER BY time`,
  },
  {
    id: 'heat-map',
    sql: `SELECT
    toStartOfInterval(minute, ${step}) AS time,
    ${upperMs} AS up_to_ms,
    sum(counted) AS total
FROM service_requests_minute
ARRAY JOIN mapKeys(latency_buckets) AS key, mapValues(latency_buckets) AS counted
WHERE ${inRange('minute')}
GROUP BY time, key
ORDER BY time, key`,
  },
  {
    id: 'fast-enough',
    sql: `SELECT
    service,
    sum(latency_count) AS measured,
    round(shareUnder(latency_buckets, 300), 4) AS within_300_ms
FROM service_requests_minute
WHERE ${inRange('minute')} AND latency_count > 0
GROUP BY service
ORDER BY within_300_ms`,
  },
  {
    id: 'slower-than-before',
    sql: `WITH
    {from:DateTime} - dateDiff('second', {from:DateTime}, {to:DateTime}) AS before,
    quantileExactWeightedArrayIf(0.95)(${buckets}, minute < {from:DateTime}) AS before_key,
    quantileExactWeightedArrayIf(0.95)(${buckets}, minute >= {from:DateTime}) AS now_key
SELECT
    service,
    endpoint,
    round(before_key % 1000 * exp10(intDiv(before_key, 1000) - 3) / 1.025, 1) AS before_ms,
    round(now_key % 1000 * exp10(intDiv(now_key, 1000) - 3) / 1.025, 1) AS now_ms
FROM requests_minute
WHERE minute >= before AND minute < {to:DateTime} AND latency_count > 0
GROUP BY service, endpoint
HAVING before_ms > 0 AND now_ms > 0
ORDER BY now_ms / before_ms DESC
LIMIT 10`,
  },
  {
    id: 'messages',
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
    sql: `SELECT formatDateTime(hour, '%H:00') AS hour_of_day, sum(requests) AS total
FROM service_requests_hour
WHERE hour >= toStartOfHour(now() - INTERVAL 7 DAY)
GROUP BY hour_of_day
ORDER BY hour_of_day`,
  },
  {
    id: 'silence',
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

/** The queries that people of the demo share, by name. The dashboard binds `from` and `to` to its range of time. */
export const demoQueries: readonly { name: string; sql: string }[] = [
  {
    name: 'Slowest endpoints',
    sql: `SELECT service, method, endpoint, sum(requests) AS total,
  quantileExactWeightedArray(0.95)(mapKeys(latency_buckets), mapValues(latency_buckets)) AS p95_key,
  round(p95_key % 1000 * exp10(intDiv(p95_key, 1000) - 3) / 1.025) AS p95_ms
FROM requests_minute
WHERE minute >= {from:DateTime} AND minute < {to:DateTime}
GROUP BY ALL
HAVING total >= 100
ORDER BY p95_ms DESC
LIMIT 20`,
  },
  {
    name: 'Failing share by service',
    sql: `SELECT toStartOfInterval(minute, INTERVAL 10 MINUTE) AS time, service,
  round(100 * sumIf(requests, status >= 500) / sum(requests), 2) AS failing_percent
FROM service_requests_minute
WHERE minute >= {from:DateTime} AND minute < {to:DateTime}
GROUP BY time, service
ORDER BY time, service`,
  },
  {
    name: 'Newest messages of failing payments',
    sql: `SELECT max(latest).at AS at, max(latest).status AS status, max(latest).message AS message
FROM messages
WHERE endpoint = '/checkout' AND minute >= {from:DateTime} AND minute < {to:DateTime}
GROUP BY minute
HAVING status >= 500
ORDER BY at DESC
LIMIT 50`,
  },
  {
    name: 'Busiest hours',
    sql: `SELECT toHour(hour) AS hour_utc, round(sum(requests) / uniqExact(toDate(hour))) AS requests_per_day
FROM service_requests_hour
WHERE hour >= {from:DateTime} AND hour < {to:DateTime}
GROUP BY hour_utc
ORDER BY hour_utc`,
  },
  {
    name: 'Long waits for a connection',
    sql: `SELECT service, target, pool, sum(acquired_1000ms + acquired_5000ms + acquired_longer) AS waits_above_500_ms,
  sum(failures) AS failed
FROM process_pools_minute
WHERE minute >= {from:DateTime} AND minute < {to:DateTime}
GROUP BY ALL
ORDER BY waits_above_500_ms DESC`,
  },
];

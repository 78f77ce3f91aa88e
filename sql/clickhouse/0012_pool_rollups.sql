-- Pools per minute, over all processes: what series over a window are read from. An interval counts in the minute of its
-- last millisecond, so that one from 12:00:00 to 12:01:00 is of the minute 12:00.
-- The buckets of the histogram are a column each, which merge by addition. As an array with sumForEach they took 22 %
-- more on disk, and a percentile over a million rows took two to three times as long.
CREATE TABLE IF NOT EXISTS pools_minute
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    service String COMMENT 'Service that the process belongs to',
    environment String COMMENT 'Environment of the process',
    system String COMMENT 'Engine of the database',
    target String COMMENT 'Alias of the database',
    pool String COMMENT 'Alias of the pool',
    server_pool String COMMENT 'Alias of one server''s pool within the process',
    minute DateTime('UTC') COMMENT 'Minute of the last millisecond of the intervals, UTC' CODEC(DoubleDelta, ZSTD),
    intervals SimpleAggregateFunction(sum, UInt64) COMMENT 'Intervals that were reported' CODEC(T64, ZSTD),
    partial_intervals SimpleAggregateFunction(sum, UInt64) COMMENT 'Those of them with partial coverage' CODEC(T64, ZSTD),
    acquired_1ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took at most 1 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_5ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 1 and at most 5 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_10ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 5 and at most 10 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_25ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 10 and at most 25 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_50ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 25 and at most 50 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_100ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 50 and at most 100 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_250ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 100 and at most 250 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_500ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 250 and at most 500 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_1000ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 500 and at most 1000 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_5000ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 1000 and at most 5000 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_longer SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 5000 ms; null when none were measured' CODEC(T64, ZSTD),
    acquisition_sum_us SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Sum of the acquisition times, microseconds; null when none were measured' CODEC(T64, ZSTD),
    failures SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Failed acquisitions; null when not measured' CODEC(T64, ZSTD),
    created SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Connections created; null when not measured' CODEC(T64, ZSTD),
    closed SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Connections closed; null when not measured' CODEC(T64, ZSTD),
    peak_open SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Most open connections of one process; null when not measured' CODEC(T64, ZSTD),
    peak_busy SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Most busy connections of one process; null when not measured' CODEC(T64, ZSTD),
    peak_waiting SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Most waiting callers of one process; null when not measured' CODEC(T64, ZSTD),
    capacity_busy SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Busy connections at the ends of those intervals whose pool knows its maximum' CODEC(T64, ZSTD),
    capacity_maximum SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Sum of those maxima; capacity_busy / capacity_maximum is the utilisation' CODEC(T64, ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, service, environment, system, target, pool, server_pool, minute)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Connection pools per minute, over all processes; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS pool_landing_to_pools_minute TO pools_minute AS
SELECT
    page_id, service, environment, system, target, pool, server_pool, l.minute AS minute,
    count() AS intervals,
    countIf(coverage = 'partial') AS partial_intervals,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[1])) AS acquired_1ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[2])) AS acquired_5ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[3])) AS acquired_10ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[4])) AS acquired_25ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[5])) AS acquired_50ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[6])) AS acquired_100ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[7])) AS acquired_250ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[8])) AS acquired_500ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[9])) AS acquired_1000ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[10])) AS acquired_5000ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[11])) AS acquired_longer,
    sum(l.acquisition_sum_us) AS acquisition_sum_us,
    sum(l.failures) AS failures,
    sum(l.created) AS created,
    sum(l.closed) AS closed,
    max(l.peak_open) AS peak_open,
    max(l.peak_busy) AS peak_busy,
    max(l.peak_waiting) AS peak_waiting,
    sum(if(isNull(l.maximum), NULL, l.busy)) AS capacity_busy,
    sum(if(isNull(l.busy), NULL, l.maximum)) AS capacity_maximum
FROM pool_landing AS l
WHERE kind = 'pool'
GROUP BY page_id, service, environment, system, target, pool, server_pool, minute;

-- The same per process, with its gauges. Of gauges the newest counts, by the end of its interval and not by arrival:
-- the maximum of a tuple whose first field is that time. Two intervals of a session never end at the same time.
CREATE TABLE IF NOT EXISTS process_pools_minute
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    service String COMMENT 'Service that the process belongs to',
    environment String COMMENT 'Environment of the process',
    system String COMMENT 'Engine of the database',
    target String COMMENT 'Alias of the database',
    pool String COMMENT 'Alias of the pool',
    server_pool String COMMENT 'Alias of one server''s pool within the process',
    session UUID COMMENT 'Session of the process',
    minute DateTime('UTC') COMMENT 'Minute of the last millisecond of the intervals, UTC' CODEC(DoubleDelta, ZSTD),
    intervals SimpleAggregateFunction(sum, UInt64) COMMENT 'Intervals that were reported' CODEC(T64, ZSTD),
    partial_intervals SimpleAggregateFunction(sum, UInt64) COMMENT 'Those of them with partial coverage' CODEC(T64, ZSTD),
    acquired_1ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took at most 1 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_5ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 1 and at most 5 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_10ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 5 and at most 10 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_25ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 10 and at most 25 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_50ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 25 and at most 50 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_100ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 50 and at most 100 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_250ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 100 and at most 250 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_500ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 250 and at most 500 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_1000ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 500 and at most 1000 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_5000ms SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 1000 and at most 5000 ms; null when none were measured' CODEC(T64, ZSTD),
    acquired_longer SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Acquisitions that took more than 5000 ms; null when none were measured' CODEC(T64, ZSTD),
    acquisition_sum_us SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Sum of the acquisition times, microseconds; null when none were measured' CODEC(T64, ZSTD),
    failures SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Failed acquisitions; null when not measured' CODEC(T64, ZSTD),
    created SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Connections created; null when not measured' CODEC(T64, ZSTD),
    closed SimpleAggregateFunction(sum, Nullable(UInt64)) COMMENT 'Connections closed; null when not measured' CODEC(T64, ZSTD),
    peak_open SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Most open connections of one process; null when not measured' CODEC(T64, ZSTD),
    peak_busy SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Most busy connections of one process; null when not measured' CODEC(T64, ZSTD),
    peak_waiting SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Most waiting callers of one process; null when not measured' CODEC(T64, ZSTD),
    newest SimpleAggregateFunction(max, Tuple(at DateTime64(3, 'UTC'), coverage Enum8('none' = 0, 'complete' = 1, 'partial' = 2), open Nullable(UInt64), busy Nullable(UInt64), idle Nullable(UInt64), waiting Nullable(UInt64), minimum Nullable(UInt64), maximum Nullable(UInt64), peak_open Nullable(UInt64), peak_busy Nullable(UInt64), peak_waiting Nullable(UInt64)))
        COMMENT 'The interval that ends last: newest.at is its end, then its gauges and peaks; null when not measured; read with max(newest)' CODEC(ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, service, environment, system, target, pool, server_pool, session)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Connection pools per process and minute; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS pool_landing_to_process_pools_minute TO process_pools_minute AS
SELECT
    page_id, service, environment, system, target, pool, server_pool, session, l.minute AS minute,
    count() AS intervals,
    countIf(coverage = 'partial') AS partial_intervals,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[1])) AS acquired_1ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[2])) AS acquired_5ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[3])) AS acquired_10ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[4])) AS acquired_25ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[5])) AS acquired_50ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[6])) AS acquired_100ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[7])) AS acquired_250ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[8])) AS acquired_500ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[9])) AS acquired_1000ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[10])) AS acquired_5000ms,
    sum(if(empty(acquisition_counts), NULL, acquisition_counts[11])) AS acquired_longer,
    sum(l.acquisition_sum_us) AS acquisition_sum_us,
    sum(l.failures) AS failures,
    sum(l.created) AS created,
    sum(l.closed) AS closed,
    max(l.peak_open) AS peak_open,
    max(l.peak_busy) AS peak_busy,
    max(l.peak_waiting) AS peak_waiting,
    max(tuple(l.interval_to, l.coverage, l.open, l.busy, l.idle, l.waiting, l.minimum, l.maximum, l.peak_open, l.peak_busy, l.peak_waiting)) AS newest
FROM pool_landing AS l
WHERE kind = 'pool'
GROUP BY page_id, service, environment, system, target, pool, server_pool, session, minute;

-- What the exporters of the reports have lost. Their counters run over the life of a process and never fall, so the
-- largest of a minute is its newest, and the loss of a time is the difference of two of them within a session.
CREATE TABLE IF NOT EXISTS pool_exporters_minute
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    service String COMMENT 'Service that the process belongs to',
    environment String COMMENT 'Environment of the process',
    session UUID COMMENT 'Session of the process',
    minute DateTime('UTC') COMMENT 'Minute of the last millisecond of the intervals, UTC' CODEC(DoubleDelta, ZSTD),
    started_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'When the session began, UTC' CODEC(ZSTD),
    reports SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD),
    dropped_least SimpleAggregateFunction(min, UInt64) COMMENT 'Reports dropped since the session began, by the first report of the minute' CODEC(T64, ZSTD),
    dropped SimpleAggregateFunction(max, UInt64) COMMENT 'Reports dropped since the session began, by the last report of the minute' CODEC(T64, ZSTD),
    failures_least SimpleAggregateFunction(min, UInt64) COMMENT 'Failed sends since the session began, by the first report of the minute' CODEC(T64, ZSTD),
    failures SimpleAggregateFunction(max, UInt64) COMMENT 'Failed sends since the session began, by the last report of the minute' CODEC(T64, ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, service, environment, session)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Loss counters of reporting processes per minute; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS pool_landing_to_pool_exporters_minute TO pool_exporters_minute AS
SELECT
    page_id, service, environment, session, l.minute AS minute,
    min(l.started_at) AS started_at,
    count() AS reports,
    min(assumeNotNull(exporter_dropped)) AS dropped_least,
    max(assumeNotNull(exporter_dropped)) AS dropped,
    min(assumeNotNull(exporter_failures)) AS failures_least,
    max(assumeNotNull(exporter_failures)) AS failures
FROM pool_landing AS l
WHERE kind = 'report'
GROUP BY page_id, service, environment, session, minute;

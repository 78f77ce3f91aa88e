-- Hours of endpoints for 100 days, hours of services and of the page for 400, and days. A day more than is promised, because
-- a partition goes as a whole: the last hour of a day has to outlive its first minute. Materialising recalculates what each
-- part knows of its end, and rewrites no other column; without it, parts from before would go after 14 days.
--
-- The start does not wait for it: 377 parts of each table took 12 s, and up to a minute on a busy machine. The server keeps
-- the mutations and goes on with them after a restart. A merge may still drop a part that becomes 14 days old before its turn,
-- so kept_since begins a day later than what is there now: a mutation has at least 24 hours.

ALTER TABLE requests_hour MODIFY SETTING materialize_ttl_recalculate_only = 1;
ALTER TABLE requests_hour MODIFY TTL hour + INTERVAL 101 DAY DELETE SETTINGS materialize_ttl_after_modify = 0;
ALTER TABLE requests_hour MATERIALIZE TTL SETTINGS mutations_sync = 0;

ALTER TABLE endpoint_requests_day MODIFY SETTING materialize_ttl_recalculate_only = 1;
ALTER TABLE endpoint_requests_day MODIFY TTL day + INTERVAL 101 DAY DELETE SETTINGS materialize_ttl_after_modify = 0;
ALTER TABLE endpoint_requests_day MATERIALIZE TTL SETTINGS mutations_sync = 0;

ALTER TABLE service_requests_hour MODIFY SETTING materialize_ttl_recalculate_only = 1;
ALTER TABLE service_requests_hour MODIFY TTL hour + INTERVAL 401 DAY DELETE SETTINGS materialize_ttl_after_modify = 0;
ALTER TABLE service_requests_hour MATERIALIZE TTL SETTINGS mutations_sync = 0;

ALTER TABLE page_requests_hour MODIFY SETTING materialize_ttl_recalculate_only = 1;
ALTER TABLE page_requests_hour MODIFY TTL hour + INTERVAL 401 DAY DELETE SETTINGS materialize_ttl_after_modify = 0;
ALTER TABLE page_requests_hour MATERIALIZE TTL SETTINGS mutations_sync = 0;

-- A list of endpoints over two weeks begins with the whole hour in which they begin, and the week before the last one with an
-- hour more. Without them a list read a day of requests_hour for one of its hours: 96,000 rows of 2,000 endpoints.

ALTER TABLE endpoint_requests_hour MODIFY SETTING materialize_ttl_recalculate_only = 1;
ALTER TABLE endpoint_requests_hour MODIFY TTL hour + INTERVAL 14 DAY + INTERVAL 2 HOUR DELETE SETTINGS materialize_ttl_after_modify = 0;
ALTER TABLE endpoint_requests_hour MATERIALIZE TTL SETTINGS mutations_sync = 0;

-- Days of services and of the page answer questions about more than two weeks. Both begin empty: a day from before them, and the
-- day of the migration, is in the tables by the hour only. Partitions are long, because a year of daily ones is 365 parts.

CREATE TABLE IF NOT EXISTS service_requests_day
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
    status UInt16 COMMENT 'HTTP status, 100 to 599; 500 and above are failures',
    day DateTime('UTC') COMMENT 'Start of the day, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (page_id, service, status, kind, day)
TTL day + INTERVAL 401 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 256, non_replicated_deduplication_window = 10000
COMMENT 'Requests per service, status and day, over all endpoints and methods; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_service_requests_day TO service_requests_day AS
SELECT
    page_id, kind, service, status, toStartOfDay(l.minute) AS day,
    sum(l.requests) AS requests,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0
GROUP BY page_id, kind, service, status, day;

CREATE TABLE IF NOT EXISTS page_requests_day
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    method String COMMENT 'HTTP method, upper case',
    day DateTime('UTC') COMMENT 'Start of the day, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYear(day)
ORDER BY (page_id, day, method)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000
COMMENT 'Requests per method and day, over all services, endpoints and statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_page_requests_day TO page_requests_day AS
SELECT
    page_id, method, toStartOfDay(l.minute) AS day,
    sum(l.requests) AS requests,
    sumIf(l.requests, status >= 500) AS errors,
    sumIf(l.requests, status BETWEEN 400 AND 499) AS client_errors,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0
GROUP BY page_id, method, day;

-- From when on a long range has figures: an installation that counted before this had dropped what was older than 14 days and
-- may drop a day more, and its tables by day begin with the day after. The views above are there before this row, so an hour
-- more covers the servers of a cluster that get them later.

CREATE TABLE IF NOT EXISTS kept_since
(
    hours_from DateTime('UTC') COMMENT 'First hour that was not dropped; 1970 when none was',
    days_from DateTime('UTC') COMMENT 'First day that the tables by day have in full; 1970 when it is every day'
)
ENGINE = MergeTree
ORDER BY hours_from
COMMENT 'From when on long ranges have figures';

INSERT INTO kept_since
SELECT
    if(counted, toStartOfHour(now('UTC') - INTERVAL 13 DAY) + INTERVAL 1 HOUR, toDateTime(0, 'UTC')) AS hours_from,
    if(counted, toStartOfDay(now('UTC') + INTERVAL 25 HOUR), toDateTime(0, 'UTC')) AS days_from
FROM (SELECT count() > 0 AS counted FROM (SELECT 1 FROM service_requests_hour LIMIT 1))
WHERE (SELECT count() FROM kept_since) = 0;

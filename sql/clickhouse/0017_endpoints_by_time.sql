-- Endpoints in the order of time, for lists of them over a part of a day, and for the hours at both ends of a longer range:
-- in requests_minute and requests_hour, which have the order of their names, an hour of all endpoints is somewhere in every
-- granule of its day. Both begin empty; rows from before them are in the others only, and a read takes a step from here when
-- both count the same in it.

-- A short range and the one before it reach back two days at most. The table by the hour counts alone: percentiles over long ranges
-- are of whole days and six hours.

CREATE TABLE IF NOT EXISTS endpoint_requests_minute
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
    endpoint String COMMENT 'Route template, without query string and trailing slash',
    method String COMMENT 'HTTP method, upper case',
    minute DateTime('UTC') COMMENT 'Start of the minute, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, service, endpoint, method, kind)
TTL minute + INTERVAL 2 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'Requests per endpoint, method and minute of the last two days, over all statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_endpoint_requests_minute TO endpoint_requests_minute AS
SELECT
    page_id, kind, service, endpoint, method, l.minute AS minute,
    l.requests AS requests,
    if(status >= 500, l.requests, 0) AS errors,
    if(status BETWEEN 400 AND 499, l.requests, 0) AS client_errors,
    l.latency_count AS latency_count,
    l.latency_sum_us AS latency_sum_us,
    l.latency_buckets AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0;

CREATE TABLE IF NOT EXISTS endpoint_requests_hour
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
    endpoint String COMMENT 'Route template, without query string and trailing slash',
    method String COMMENT 'HTTP method, upper case',
    hour DateTime('UTC') COMMENT 'Start of the hour, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(hour)
ORDER BY (page_id, hour, service, endpoint, method, kind)
TTL hour + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'Requests per endpoint, method and hour, over all statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_endpoint_requests_hour TO endpoint_requests_hour AS
SELECT
    page_id, kind, service, endpoint, method, toStartOfHour(l.minute) AS hour,
    l.requests AS requests,
    if(status >= 500, l.requests, 0) AS errors,
    if(status BETWEEN 400 AND 499, l.requests, 0) AS client_errors,
    l.latency_count AS latency_count,
    l.latency_sum_us AS latency_sum_us
FROM landing_blocks AS l
WHERE status > 0;

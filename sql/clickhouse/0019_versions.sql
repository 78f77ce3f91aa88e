-- Versions as a dimension of hours. A row of a block without a version has none here, and costs the view one comparison.
-- Blocks of an earlier version have neither column.

ALTER TABLE landing_blocks
    ADD COLUMN IF NOT EXISTS version String;

ALTER TABLE landing_blocks
    ADD COLUMN IF NOT EXISTS environment String;

-- The service gives at most 20 versions of a service a name of their own at a time, so a service has a few rows an hour.

CREATE TABLE IF NOT EXISTS version_requests_hour
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    service String COMMENT 'Service name, lower case',
    version String COMMENT 'Version of the service',
    environment String COMMENT 'Environment of the deployment, lower case; empty for none',
    hour DateTime('UTC') COMMENT 'Start of the hour, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (page_id, service, hour, version, environment)
TTL hour + INTERVAL 400 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'Requests per version of a service and hour, of senders that name their version; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_version_requests_hour TO version_requests_hour AS
SELECT
    page_id, service, version, environment, toStartOfHour(l.minute) AS hour,
    sum(l.requests) AS requests,
    sumIf(l.requests, status >= 500) AS errors,
    sumIf(l.requests, status BETWEEN 400 AND 499) AS client_errors,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0 AND version != ''
GROUP BY page_id, service, version, environment, hour;

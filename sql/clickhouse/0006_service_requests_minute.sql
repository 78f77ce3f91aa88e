-- The same without endpoint and method, for the questions a dashboard opens with: of 2,000 endpoints, a page's
-- or a service's series would otherwise merge a histogram per endpoint and step.
CREATE TABLE IF NOT EXISTS service_requests_minute
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
    status UInt16 COMMENT 'HTTP status, 100 to 599; 500 and above are failures',
    minute DateTime('UTC') COMMENT 'Start of the minute, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_sketch AggregateFunction(quantilesBFloat16WeightedArray(0.5, 0.95, 0.99), Array(Float32), Array(UInt32))
        COMMENT 'Mergeable histogram of the response times in milliseconds; read with quantilesBFloat16WeightedArrayMerge(0.5, 0.95, 0.99)(latency_sketch)' CODEC(ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, service, status, kind, minute)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Requests per service and minute, over all endpoints and methods; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_to_service_requests_minute TO service_requests_minute AS
SELECT
    page_id, kind, service, status, l.minute AS minute,
    sum(l.requests) AS requests,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    quantilesBFloat16WeightedArrayState(0.5, 0.95, 0.99)(latency_values_ms, latency_weights) AS latency_sketch
FROM landing AS l
WHERE status > 0
GROUP BY page_id, kind, service, status, minute;

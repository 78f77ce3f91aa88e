-- The same by endpoint and method only, in steps of six hours from midnight: thousands of endpoints over two weeks are
-- put in order and measured from a twelfth of the rows of the hour table. Rows from before this table are in the others
-- only; a read takes a step from here when both count the same in it.
-- The histograms have 16 buckets for each doubling, an eighth of the others, so a percentile is off by at most 3.2 %: the
-- finer ones took four times as long to read.
-- A granule is small, because the rows of one endpoint are few a day, and a histogram is parsed with all of its granule.
CREATE TABLE IF NOT EXISTS endpoint_requests_6h
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
    endpoint String COMMENT 'Route template, without query string and trailing slash',
    method String COMMENT 'HTTP method, upper case',
    start DateTime('UTC') COMMENT 'Start of the six hours, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_sketch AggregateFunction(quantilesBFloat16WeightedArray(0.5, 0.95, 0.99), Array(Float32), Array(UInt32))
        COMMENT 'Mergeable histogram of the response times in milliseconds, in wider buckets than those of the other tables; read with quantilesBFloat16WeightedArrayMerge(0.5, 0.95, 0.99)(latency_sketch)' CODEC(ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(start)
ORDER BY (page_id, service, endpoint, method, kind, start)
TTL start + INTERVAL 14 DAY + INTERVAL 6 HOUR DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 32, non_replicated_deduplication_window = 10000
COMMENT 'Requests per endpoint, method and six hours, over all statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_to_endpoint_requests_6h TO endpoint_requests_6h AS
SELECT
    page_id, kind, service, endpoint, method, toStartOfInterval(l.minute, INTERVAL 6 HOUR) AS start,
    sum(l.requests) AS requests,
    sumIf(l.requests, status >= 500) AS errors,
    sumIf(l.requests, status BETWEEN 400 AND 499) AS client_errors,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    quantilesBFloat16WeightedArrayState(0.5, 0.95, 0.99)(
        arrayMap(ms -> reinterpretAsFloat32(bitOr(bitAnd(reinterpretAsUInt32(ms), 0xFFF80000), 0x00040000)), latency_values_ms),
        latency_weights) AS latency_sketch
FROM landing AS l
WHERE status > 0
GROUP BY page_id, kind, service, endpoint, method, start;

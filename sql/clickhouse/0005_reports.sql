-- When each service or reporter called, heartbeats included, by arrival time: the age of the last report and
-- the usual gap between reports come from here.
CREATE TABLE IF NOT EXISTS reports
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1) or reporter id (v2)',
    minute DateTime('UTC') COMMENT 'Minute in which the calls arrived, UTC' CODEC(DoubleDelta, ZSTD),
    calls SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of accepted batches and heartbeats' CODEC(T64, ZSTD),
    last_report_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'When the last of them arrived' CODEC(ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, service, kind, minute)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Calls per source and minute; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_to_reports TO reports AS
SELECT
    page_id, kind, service, l.minute AS minute,
    sum(l.requests) AS calls,
    max(reported_at) AS last_report_at
FROM landing AS l
WHERE status = 0
GROUP BY page_id, kind, service, minute;

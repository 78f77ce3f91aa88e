-- The newest failing message per endpoint and minute. The maximum of a whole tuple, not argMax, decides: two
-- messages of the same millisecond then have one winner whatever the order in which they arrive.
CREATE TABLE IF NOT EXISTS messages
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1) or reporter id (v2)',
    endpoint String COMMENT 'Route template',
    minute DateTime('UTC') COMMENT 'Start of the minute, UTC' CODEC(DoubleDelta, ZSTD),
    latest SimpleAggregateFunction(max, Tuple(at DateTime64(3, 'UTC'), status UInt16, method String, message String))
        COMMENT 'Newest message on a response of status 400 or above: latest.at, latest.status, latest.method, latest.message; read with max(latest)' CODEC(ZSTD)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, service, endpoint, kind)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'One sampled failure message per endpoint and minute; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_to_messages TO messages AS
SELECT
    page_id, kind, service, endpoint, minute,
    max(tuple(message_at, status, method, message)) AS latest
FROM landing
WHERE message != ''
GROUP BY page_id, kind, service, endpoint, minute;

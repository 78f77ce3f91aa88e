-- Uptime and response time per monitor and hour, computed from checks by a job; every public figure comes from here. A
-- computation replaces what an earlier one wrote, so that it can be repeated.
CREATE TABLE IF NOT EXISTS monitor_hours
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    monitor_id UUID COMMENT 'Monitor',
    hour DateTime('UTC') COMMENT 'Start of the hour, UTC' CODEC(DoubleDelta, ZSTD),
    observed_ms UInt32 COMMENT 'Time that was observed: between checks, without maintenance and pauses' CODEC(T64, ZSTD),
    up_ms UInt32 COMMENT 'Part of it in which the monitor was up' CODEC(T64, ZSTD),
    checks UInt32 COMMENT 'Checks that count, outside maintenance and pauses' CODEC(T64, ZSTD),
    failed UInt32 COMMENT 'Those of them that failed' CODEC(T64, ZSTD),
    measured UInt32 COMMENT 'Those of them with a response time' CODEC(T64, ZSTD),
    sum_ms Float64 COMMENT 'Sum of the response times' CODEC(ZSTD),
    version UInt64 COMMENT 'The newest computation counts'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(hour)
ORDER BY (page_id, monitor_id, hour)
TTL hour + INTERVAL 400 DAY DELETE
SETTINGS ttl_only_drop_parts = 1
COMMENT 'Points of monitors per hour; rows of one key may not be merged yet, so read with FINAL';

-- The hours of a day in one row, for figures over months.
CREATE TABLE IF NOT EXISTS monitor_days
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    monitor_id UUID COMMENT 'Monitor',
    day Date COMMENT 'Day, UTC' CODEC(DoubleDelta, ZSTD),
    observed_ms UInt32 COMMENT 'Time that was observed' CODEC(T64, ZSTD),
    up_ms UInt32 COMMENT 'Part of it in which the monitor was up' CODEC(T64, ZSTD),
    checks UInt32 COMMENT 'Checks that count' CODEC(T64, ZSTD),
    failed UInt32 COMMENT 'Those of them that failed' CODEC(T64, ZSTD),
    measured UInt32 COMMENT 'Those of them with a response time' CODEC(T64, ZSTD),
    sum_ms Float64 COMMENT 'Sum of the response times' CODEC(ZSTD),
    version UInt64 COMMENT 'The newest computation counts'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (page_id, monitor_id, day)
TTL day + INTERVAL 400 DAY DELETE
SETTINGS ttl_only_drop_parts = 1
COMMENT 'Points of monitors per day; rows of one key may not be merged yet, so read with FINAL';

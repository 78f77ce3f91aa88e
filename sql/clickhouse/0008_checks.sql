-- Every check of a monitor as it happened, probed or imported. The same check twice is one row.
CREATE TABLE IF NOT EXISTS checks
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    monitor_id UUID COMMENT 'Monitor that was checked',
    at DateTime64(3, 'UTC') COMMENT 'When the check began, UTC' CODEC(DoubleDelta, ZSTD),
    interval_seconds UInt32 COMMENT 'Time between checks that was configured then' CODEC(T64, ZSTD),
    ok UInt8 COMMENT '1 when this check passed' CODEC(T64, ZSTD),
    up UInt8 COMMENT '1 when the monitor counted as up after it; down takes several failures in a row' CODEC(T64, ZSTD),
    error String COMMENT 'Class of the failure; empty when it passed' CODEC(ZSTD),
    status UInt16 COMMENT 'HTTP status; 0 without one' CODEC(T64, ZSTD),
    total_ms Nullable(Float32) COMMENT 'Response time; null for heartbeats and for checks without an answer' CODEC(ZSTD),
    dns_ms Nullable(Float32) COMMENT 'Part of it: looking up the name' CODEC(ZSTD),
    connect_ms Nullable(Float32) COMMENT 'Part of it: connecting' CODEC(ZSTD),
    tls_ms Nullable(Float32) COMMENT 'Part of it: the TLS handshake' CODEC(ZSTD),
    first_byte_ms Nullable(Float32) COMMENT 'Part of it: waiting for the first byte of the answer' CODEC(ZSTD),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row came in; the newest of equal checks counts' CODEC(DoubleDelta, ZSTD),
    INDEX inserted_at inserted_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(inserted_at)
PARTITION BY toYYYYMM(at)
ORDER BY (page_id, monitor_id, at)
TTL toDateTime(at) + INTERVAL 400 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Checks of monitors; rows of one key may not be merged yet, so read with FINAL';

-- What one group commit of pool reports inserts: of each report one row of kind report, with the counters of its
-- exporter, and one row of kind pool for each of its pools. As with landing, the table keeps nothing itself, and the
-- insert's deduplication token reaches every table behind it. Null is "not measured" in every column of measurements.
CREATE TABLE IF NOT EXISTS pool_landing
(
    page_id UUID,
    block_id UUID,
    kind Enum8('report' = 1, 'pool' = 2),
    session UUID,
    sequence UInt64,
    service String,
    environment String,
    revision String,
    started_at DateTime64(3, 'UTC'),
    interval_from DateTime64(3, 'UTC'),
    interval_to DateTime64(3, 'UTC'),
    minute DateTime('UTC'),
    received_at DateTime64(3, 'UTC'),
    exporter_dropped Nullable(UInt64),
    exporter_failures Nullable(UInt64),
    system String,
    target String,
    pool String,
    server_pool String,
    driver_version String,
    coverage Enum8('none' = 0, 'complete' = 1, 'partial' = 2),
    open Nullable(UInt64),
    busy Nullable(UInt64),
    idle Nullable(UInt64),
    waiting Nullable(UInt64),
    peak_open Nullable(UInt64),
    peak_busy Nullable(UInt64),
    peak_waiting Nullable(UInt64),
    acquisition_counts Array(UInt64),
    acquisition_sum_us Nullable(UInt64),
    failures Nullable(UInt64),
    created Nullable(UInt64),
    closed Nullable(UInt64),
    minimum Nullable(UInt64),
    maximum Nullable(UInt64)
)
ENGINE = Null
COMMENT 'Insert target of the service; holds no rows';

-- Reports as they came, for two days: what a block that may be half stored is looked up in, and what figures of the
-- rollups can be traced to. No read of the service scans it.
CREATE TABLE IF NOT EXISTS pool_reports
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    block_id UUID COMMENT 'Block of the group commit that the report was stored with',
    kind Enum8('report' = 1, 'pool' = 2) COMMENT 'report: counters of the exporter, one row a report; pool: one of its pools',
    session UUID COMMENT 'Session of the process',
    sequence UInt64 COMMENT 'Number of the report in its session' CODEC(T64, ZSTD),
    service String COMMENT 'Service that the process belongs to',
    environment String COMMENT 'Environment of the process',
    revision String COMMENT 'Revision of the process; empty when not given',
    started_at DateTime64(3, 'UTC') COMMENT 'When the session began, UTC' CODEC(ZSTD),
    interval_from DateTime64(3, 'UTC') COMMENT 'Start of the interval, UTC' CODEC(ZSTD),
    interval_to DateTime64(3, 'UTC') COMMENT 'End of the interval, UTC' CODEC(ZSTD),
    minute DateTime('UTC') COMMENT 'Minute of the last millisecond of the interval, UTC' CODEC(DoubleDelta, ZSTD),
    received_at DateTime64(3, 'UTC') COMMENT 'When the report arrived, UTC' CODEC(ZSTD),
    exporter_dropped Nullable(UInt64) COMMENT 'Reports that the process has dropped since it began; null in rows of pools' CODEC(T64, ZSTD),
    exporter_failures Nullable(UInt64) COMMENT 'Failed sends of the process since it began; null in rows of pools' CODEC(T64, ZSTD),
    system String COMMENT 'Engine of the database',
    target String COMMENT 'Alias of the database',
    pool String COMMENT 'Alias of the pool',
    server_pool String COMMENT 'Alias of one server''s pool within the process',
    driver_version String COMMENT 'Version of the driver; empty when not given',
    coverage Enum8('none' = 0, 'complete' = 1, 'partial' = 2) COMMENT 'Whether all that is declared was measured; none in rows of reports',
    open Nullable(UInt64) COMMENT 'Open connections at the end of the interval' CODEC(T64, ZSTD),
    busy Nullable(UInt64) COMMENT 'Busy ones of them' CODEC(T64, ZSTD),
    idle Nullable(UInt64) COMMENT 'Idle ones of them' CODEC(T64, ZSTD),
    waiting Nullable(UInt64) COMMENT 'Callers that waited at the end of the interval' CODEC(T64, ZSTD),
    peak_open Nullable(UInt64) COMMENT 'Most open connections within the interval' CODEC(T64, ZSTD),
    peak_busy Nullable(UInt64) COMMENT 'Most busy connections within the interval' CODEC(T64, ZSTD),
    peak_waiting Nullable(UInt64) COMMENT 'Most waiting callers within the interval' CODEC(T64, ZSTD),
    acquisition_counts Array(UInt64) COMMENT 'Acquisitions per bucket of the histogram; empty when not measured' CODEC(T64, ZSTD),
    acquisition_sum_us Nullable(UInt64) COMMENT 'Sum of the acquisition times, microseconds' CODEC(T64, ZSTD),
    failures Nullable(UInt64) COMMENT 'Failed acquisitions of the interval' CODEC(T64, ZSTD),
    created Nullable(UInt64) COMMENT 'Connections created in the interval' CODEC(T64, ZSTD),
    closed Nullable(UInt64) COMMENT 'Connections closed in the interval' CODEC(T64, ZSTD),
    minimum Nullable(UInt64) COMMENT 'Fewest connections that the pool is set to keep' CODEC(T64, ZSTD),
    maximum Nullable(UInt64) COMMENT 'Most connections that the pool is set to open' CODEC(T64, ZSTD),
    INDEX block_id block_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, session, sequence, kind)
TTL minute + INTERVAL 2 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'Pool reports as they were accepted; null is not measured';

CREATE MATERIALIZED VIEW IF NOT EXISTS pool_landing_to_pool_reports TO pool_reports AS
SELECT * FROM pool_landing;

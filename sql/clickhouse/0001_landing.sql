-- What one group commit inserts: rows of counted events (status > 0) and one row per source that called
-- (status = 0). The table keeps nothing itself: each insert goes through the views of the files that follow,
-- and the insert's deduplication token reaches every target table, so a block that is sent twice counts once.
-- A storing landing table was measured, too: it made an insert about twice as slow, for rows nobody reads.
CREATE TABLE IF NOT EXISTS landing
(
    page_id UUID,
    kind Enum8('service' = 1, 'reporter' = 2),
    service String,
    endpoint String,
    method String,
    status UInt16,
    minute DateTime('UTC'),
    requests UInt32,
    latency_count UInt32,
    latency_sum_us UInt64,
    latency_values_ms Array(Float32),
    latency_weights Array(UInt32),
    message String,
    message_at DateTime64(3, 'UTC'),
    reported_at DateTime64(3, 'UTC')
)
ENGINE = Null
COMMENT 'Insert target of the service; holds no rows';

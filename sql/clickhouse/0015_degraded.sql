-- Checks that passed while the monitor counted as degraded, and the time of that. Uptime counts it as up.
ALTER TABLE checks
    ADD COLUMN IF NOT EXISTS degraded UInt8 COMMENT '1 when the monitor counted as too slow after it; that takes several slow checks in a row' CODEC(T64, ZSTD) AFTER up;

ALTER TABLE monitor_hours
    ADD COLUMN IF NOT EXISTS degraded_ms UInt32 COMMENT 'Part of up_ms in which the monitor was degraded' CODEC(T64, ZSTD) AFTER up_ms;

ALTER TABLE monitor_days
    ADD COLUMN IF NOT EXISTS degraded_ms UInt32 COMMENT 'Part of up_ms in which the monitor was degraded' CODEC(T64, ZSTD) AFTER up_ms;

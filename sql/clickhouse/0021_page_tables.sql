-- Rows that PostgreSQL has of a page, so that SQL joins them with its traffic. A loop copies a row within seconds of its change.
-- The columns are JSON, so that a further one needs no other table. A row that is gone leaves its key: an older copy that
-- arrives late must not bring it back.

CREATE TABLE IF NOT EXISTS copies
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind String COMMENT 'Kind of the row: monitor, incident, maintenance, incident_update, deployment, alert or reporter',
    id String COMMENT 'Id of the row, which is unique within its kind and page',
    version UInt64 COMMENT 'The newest copy counts' CODEC(Delta, ZSTD),
    deleted UInt8 COMMENT '1 when PostgreSQL has no such row any more',
    data String COMMENT 'The columns of the row as JSON, with times in milliseconds since 1970; empty when it is gone' CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (page_id, kind, id)
COMMENT 'Copies of rows of PostgreSQL; rows of one key may not be merged yet, so read with FINAL';

-- Views that the SQL of a page reads in place of tables whose rows of one key may not be merged yet. The rights and the row filters are
-- those of the user who reads. A table is named in front of a column that a view has under the same name.

CREATE VIEW IF NOT EXISTS sql_monitors SQL SECURITY INVOKER AS
SELECT
    page_id,
    toUUIDOrZero(copies.id) AS monitor_id,
    JSONExtractString(data, 'slug') AS slug,
    JSONExtractString(data, 'name') AS name,
    JSONExtractString(data, 'description') AS description,
    JSONExtractString(data, 'kind') AS kind,
    JSONExtractString(data, 'state') AS state,
    fromUnixTimestamp64Milli(JSONExtract(data, 'state_since', 'Nullable(Int64)'), 'UTC') AS state_since,
    fromUnixTimestamp64Milli(JSONExtract(data, 'degraded_since', 'Nullable(Int64)'), 'UTC') AS degraded_since,
    fromUnixTimestamp64Milli(JSONExtract(data, 'paused_at', 'Nullable(Int64)'), 'UTC') AS paused_at,
    JSONExtract(data, 'every_seconds', 'UInt32') AS every_seconds,
    JSONExtract(data, 'timeout_ms', 'UInt32') AS timeout_ms,
    JSONExtract(data, 'failures_to_down', 'UInt32') AS failures_to_down,
    JSONExtract(data, 'degraded_over_ms', 'Nullable(UInt32)') AS degraded_over_ms,
    JSONExtract(data, 'depends_on', 'Array(String)') AS depends_on,
    toUInt8(JSONExtractBool(data, 'hidden')) AS hidden,
    fromUnixTimestamp64Milli(JSONExtract(data, 'certificate_ends_at', 'Nullable(Int64)'), 'UTC') AS certificate_ends_at,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'created_at'), 'UTC') AS created_at
FROM copies FINAL
WHERE copies.kind = 'monitor' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_incidents SQL SECURITY INVOKER AS
SELECT
    page_id,
    toUUIDOrZero(copies.id) AS incident_id,
    JSONExtractString(data, 'title') AS title,
    JSONExtractString(data, 'summary') AS summary,
    JSONExtractString(data, 'impact') AS impact,
    JSONExtract(data, 'monitors', 'Array(String)') AS monitors,
    arrayMap(x -> toUUIDOrZero(x), JSONExtract(data, 'monitor_ids', 'Array(String)')) AS monitor_ids,
    JSONExtract(data, 'monitor_states', 'Map(String, String)') AS monitor_states,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'started_at'), 'UTC') AS started_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'resolved_at', 'Nullable(Int64)'), 'UTC') AS resolved_at,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'published_at'), 'UTC') AS published_at,
    JSONExtractString(data, 'author_type') AS author_type
FROM copies FINAL
WHERE copies.kind = 'incident' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_maintenance SQL SECURITY INVOKER AS
SELECT
    page_id,
    toUUIDOrZero(copies.id) AS maintenance_id,
    JSONExtractString(data, 'title') AS title,
    JSONExtractString(data, 'summary') AS summary,
    JSONExtractString(data, 'announced_state') AS state,
    JSONExtract(data, 'monitors', 'Array(String)') AS monitors,
    arrayMap(x -> toUUIDOrZero(x), JSONExtract(data, 'monitor_ids', 'Array(String)')) AS monitor_ids,
    JSONExtract(data, 'monitor_states', 'Map(String, String)') AS monitor_states,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'started_at'), 'UTC') AS starts_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'scheduled_end_at', 'Nullable(Int64)'), 'UTC') AS scheduled_end_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'resolved_at', 'Nullable(Int64)'), 'UTC') AS completed_at,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'published_at'), 'UTC') AS published_at,
    JSONExtractString(data, 'author_type') AS author_type
FROM copies FINAL
WHERE copies.kind = 'maintenance' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_incident_updates SQL SECURITY INVOKER AS
SELECT
    page_id,
    toUUIDOrZero(copies.id) AS update_id,
    toUUIDOrZero(JSONExtractString(data, 'incident_id')) AS incident_id,
    JSONExtractString(data, 'status') AS status,
    JSONExtractString(data, 'body') AS body,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'created_at'), 'UTC') AS created_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'corrected_at', 'Nullable(Int64)'), 'UTC') AS corrected_at,
    JSONExtractString(data, 'author_type') AS author_type
FROM copies FINAL
WHERE copies.kind = 'incident_update' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_deployments SQL SECURITY INVOKER AS
SELECT
    page_id,
    toUUIDOrZero(copies.id) AS deployment_id,
    JSONExtractString(data, 'service') AS service,
    JSONExtractString(data, 'version') AS version,
    JSONExtractString(data, 'environment') AS environment,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'at'), 'UTC') AS at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'announced_at', 'Nullable(Int64)'), 'UTC') AS announced_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'first_seen_at', 'Nullable(Int64)'), 'UTC') AS first_seen_at
FROM copies FINAL
WHERE copies.kind = 'deployment' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_alerts SQL SECURITY INVOKER AS
SELECT
    page_id,
    toUUIDOrZero(copies.id) AS alert_id,
    JSONExtractString(data, 'rule_slug') AS rule,
    JSONExtractString(data, 'rule_name') AS rule_name,
    JSONExtractString(data, 'kind') AS kind,
    JSONExtractString(data, 'group_key') AS group_key,
    JSONExtractString(data, 'group_name') AS group_name,
    JSONExtractString(data, 'service') AS service,
    JSONExtractString(data, 'endpoint') AS endpoint,
    JSONExtractString(data, 'severity') AS severity,
    JSONExtractString(data, 'title') AS title,
    JSONExtract(data, 'value', 'Nullable(Float64)') AS value,
    JSONExtract(data, 'threshold', 'Nullable(Float64)') AS threshold,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'started_at'), 'UTC') AS started_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'resolved_at', 'Nullable(Int64)'), 'UTC') AS resolved_at,
    JSONExtractString(data, 'ended_by') AS ended_by,
    fromUnixTimestamp64Milli(JSONExtract(data, 'acknowledged_at', 'Nullable(Int64)'), 'UTC') AS acknowledged_at,
    JSONExtractString(data, 'held_by') AS held_by,
    toUUIDOrNull(JSONExtractString(data, 'incident_id')) AS incident_id
FROM copies FINAL
WHERE copies.kind = 'alert' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_reporters SQL SECURITY INVOKER AS
SELECT
    page_id,
    JSONExtract(data, 'kind', 'Enum8(''service'' = 1, ''reporter'' = 2)') AS kind,
    JSONExtractString(data, 'source') AS service,
    JSONExtractString(data, 'name') AS name,
    JSONExtractString(data, 'region') AS region,
    JSONExtractString(data, 'team') AS team,
    JSONExtractString(data, 'service') AS instance_of,
    JSONExtract(data, 'expected_every_seconds', 'Nullable(UInt32)') AS expected_every_seconds,
    fromUnixTimestamp64Milli(JSONExtractInt(data, 'first_seen_at'), 'UTC') AS first_seen_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'stopped_at', 'Nullable(Int64)'), 'UTC') AS stopped_at,
    fromUnixTimestamp64Milli(JSONExtract(data, 'forgotten_at', 'Nullable(Int64)'), 'UTC') AS forgotten_at
FROM copies FINAL
WHERE copies.kind = 'reporter' AND copies.deleted = 0;

CREATE VIEW IF NOT EXISTS sql_checks SQL SECURITY INVOKER AS
SELECT
    page_id,
    monitor_id,
    at,
    interval_seconds,
    ok,
    up,
    degraded,
    error,
    status,
    total_ms,
    dns_ms,
    connect_ms,
    tls_ms,
    first_byte_ms
FROM checks FINAL;

CREATE VIEW IF NOT EXISTS sql_monitor_hours SQL SECURITY INVOKER AS
SELECT
    page_id,
    monitor_id,
    hour,
    observed_ms,
    up_ms,
    degraded_ms,
    checks,
    failed,
    measured,
    sum_ms
FROM monitor_hours FINAL;

CREATE VIEW IF NOT EXISTS sql_monitor_days SQL SECURITY INVOKER AS
SELECT
    page_id,
    monitor_id,
    day,
    observed_ms,
    up_ms,
    degraded_ms,
    checks,
    failed,
    measured,
    sum_ms
FROM monitor_days FINAL;

CREATE VIEW IF NOT EXISTS sql_points SQL SECURITY INVOKER AS
SELECT
    page_id,
    monitor_id,
    hour,
    if(observed_ms = 0, NULL, up_ms / observed_ms) AS uptime,
    if(measured = 0, NULL, sum_ms / measured) AS response_ms
FROM monitor_hours FINAL;

-- Response times as one kind of histogram everywhere: counts by bucket, which merge by addition. The key of a bucket is its
-- upper bound, 1000 * E + M for M * 10^E microseconds; see lib/latency-buckets.ts. A bucket is at most 5 % wide, a
-- percentile within 2.5 %, and its bounds are round, so that counts up to a bound are exact. Against 128 buckets for each
-- doubling, an insert takes two thirds of the processor, a merge a sixth, and a row a third of the bytes.
--
-- Blocks arrive in a table of their own, in the columns of `landing`, because blocks of an earlier version may wait: each
-- bucket is a value within it. `landing` and its views stay for instances of that version. The views are new, because a
-- view whose query was changed knows no token of before until the server starts again, and a repeated block would count
-- twice.

CREATE TABLE IF NOT EXISTS landing_blocks
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
    reported_at DateTime64(3, 'UTC'),
    latency_buckets Map(UInt16, UInt32) MATERIALIZED mapFromArrays(
        arrayMap((ms, e) -> toUInt16(1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10)))), latency_values_ms, arrayMap(ms -> (ms > 0.975) + (ms > 9.75) + (ms > 97.5) + (ms > 975) + (ms > 9750) + (ms > 97500) + (ms > 975000) + (ms > 9750000), latency_values_ms)),
        latency_weights)
)
ENGINE = Null
COMMENT 'Insert target of the service; holds no rows';

-- Rows of earlier versions have a state of quantilesBFloat16WeightedArray: behind its length, two bytes for each bucket, the
-- upper half of a 32-bit float, and eight for its count. ClickHouse reads the new column from it until a merge writes it,
-- so that no row is rewritten and none is missing. Only `landing` writes states any more, and a later release drops it and
-- them.

ALTER TABLE requests_minute
    ADD COLUMN IF NOT EXISTS latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)) DEFAULT
        arrayReduce('sumMap', [mapFromArrays(arrayMap((ms, e) -> toUInt16(1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10)))), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))), arrayMap(ms -> (ms > 0.975) + (ms > 9.75) + (ms > 97.5) + (ms > 975) + (ms > 9750) + (ms > 97500) + (ms > 975000) + (ms > 9750000), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))))), arrayMap(i -> reinterpretAsUInt64(substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 3, 8)), range(intDiv(length(CAST(latency_sketch AS String)), 10))))])
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3)),
    COMMENT COLUMN latency_sketch 'Empty in new rows, and removed by a later release; read latency_buckets';

ALTER TABLE requests_hour
    ADD COLUMN IF NOT EXISTS latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)) DEFAULT
        arrayReduce('sumMap', [mapFromArrays(arrayMap((ms, e) -> toUInt16(1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10)))), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))), arrayMap(ms -> (ms > 0.975) + (ms > 9.75) + (ms > 97.5) + (ms > 975) + (ms > 9750) + (ms > 97500) + (ms > 975000) + (ms > 9750000), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))))), arrayMap(i -> reinterpretAsUInt64(substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 3, 8)), range(intDiv(length(CAST(latency_sketch AS String)), 10))))])
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3)),
    COMMENT COLUMN latency_sketch 'Empty in new rows, and removed by a later release; read latency_buckets';

ALTER TABLE service_requests_minute
    ADD COLUMN IF NOT EXISTS latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)) DEFAULT
        arrayReduce('sumMap', [mapFromArrays(arrayMap((ms, e) -> toUInt16(1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10)))), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))), arrayMap(ms -> (ms > 0.975) + (ms > 9.75) + (ms > 97.5) + (ms > 975) + (ms > 9750) + (ms > 97500) + (ms > 975000) + (ms > 9750000), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))))), arrayMap(i -> reinterpretAsUInt64(substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 3, 8)), range(intDiv(length(CAST(latency_sketch AS String)), 10))))])
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3)),
    COMMENT COLUMN latency_sketch 'Empty in new rows, and removed by a later release; read latency_buckets';

ALTER TABLE service_requests_hour
    ADD COLUMN IF NOT EXISTS latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)) DEFAULT
        arrayReduce('sumMap', [mapFromArrays(arrayMap((ms, e) -> toUInt16(1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10)))), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))), arrayMap(ms -> (ms > 0.975) + (ms > 9.75) + (ms > 97.5) + (ms > 975) + (ms > 9750) + (ms > 97500) + (ms > 975000) + (ms > 9750000), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))))), arrayMap(i -> reinterpretAsUInt64(substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 3, 8)), range(intDiv(length(CAST(latency_sketch AS String)), 10))))])
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3)),
    COMMENT COLUMN latency_sketch 'Empty in new rows, and removed by a later release; read latency_buckets';

ALTER TABLE endpoint_requests_6h
    ADD COLUMN IF NOT EXISTS latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)) DEFAULT
        arrayReduce('sumMap', [mapFromArrays(arrayMap((ms, e) -> toUInt16(1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10)))), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))), arrayMap(ms -> (ms > 0.975) + (ms > 9.75) + (ms > 97.5) + (ms > 975) + (ms > 9750) + (ms > 97500) + (ms > 975000) + (ms > 9750000), arrayMap(i -> reinterpretAsFloat32(concat('\0\0', substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 1, 2))), range(intDiv(length(CAST(latency_sketch AS String)), 10))))), arrayMap(i -> reinterpretAsUInt64(substring(CAST(latency_sketch AS String), length(CAST(latency_sketch AS String)) % 10 + 10 * i + 3, 8)), range(intDiv(length(CAST(latency_sketch AS String)), 10))))])
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3)),
    COMMENT COLUMN latency_sketch 'Empty in new rows, and removed by a later release; read latency_buckets';

-- A block has one row for each of its keys, so a view that keeps endpoints only chooses columns: to group them as well took
-- two fifths of an insert, because each count of each histogram is a state of its own. A merge adds up what there is twice.

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_requests_minute TO requests_minute AS
SELECT
    page_id, kind, service, endpoint, method, status, l.minute AS minute,
    l.requests AS requests,
    l.latency_count AS latency_count,
    l.latency_sum_us AS latency_sum_us,
    l.latency_buckets AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_requests_hour TO requests_hour AS
SELECT
    page_id, kind, service, endpoint, method, status, toStartOfHour(l.minute) AS hour,
    l.requests AS requests,
    l.latency_count AS latency_count,
    l.latency_sum_us AS latency_sum_us,
    l.latency_buckets AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_service_requests_minute TO service_requests_minute AS
SELECT
    page_id, kind, service, status, l.minute AS minute,
    sum(l.requests) AS requests,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0
GROUP BY page_id, kind, service, status, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_service_requests_hour TO service_requests_hour AS
SELECT
    page_id, kind, service, status, toStartOfHour(l.minute) AS hour,
    sum(l.requests) AS requests,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0
GROUP BY page_id, kind, service, status, hour;

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_endpoint_requests_6h TO endpoint_requests_6h AS
SELECT
    page_id, kind, service, endpoint, method, toStartOfInterval(l.minute, INTERVAL 6 HOUR) AS start,
    l.requests AS requests,
    if(status >= 500, l.requests, 0) AS errors,
    if(status BETWEEN 400 AND 499, l.requests, 0) AS client_errors,
    l.latency_count AS latency_count,
    l.latency_sum_us AS latency_sum_us,
    l.latency_buckets AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_messages TO messages AS
SELECT
    page_id, kind, service, endpoint, minute,
    max(tuple(message_at, status, method, message)) AS latest
FROM landing_blocks
WHERE message != ''
GROUP BY page_id, kind, service, endpoint, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_reports TO reports AS
SELECT
    page_id, kind, service, l.minute AS minute,
    sum(l.requests) AS calls,
    max(reported_at) AS last_report_at
FROM landing_blocks AS l
WHERE status = 0
GROUP BY page_id, kind, service, minute;

-- Tables for the questions that are asked most. They begin empty: rows from before them are in the others only, and a read
-- takes a step from here when both count the same in it. A granule is small, because a page has few rows, and the
-- histograms of a granule are parsed together.

CREATE TABLE IF NOT EXISTS page_requests_minute
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    method String COMMENT 'HTTP method, upper case',
    minute DateTime('UTC') COMMENT 'Start of the minute, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, method)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 256, non_replicated_deduplication_window = 10000
COMMENT 'Requests per method and minute, over all services, endpoints and statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_page_requests_minute TO page_requests_minute AS
SELECT
    page_id, method, l.minute AS minute,
    sum(l.requests) AS requests,
    sumIf(l.requests, status >= 500) AS errors,
    sumIf(l.requests, status BETWEEN 400 AND 499) AS client_errors,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0
GROUP BY page_id, method, minute;

CREATE TABLE IF NOT EXISTS page_requests_hour
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    method String COMMENT 'HTTP method, upper case',
    hour DateTime('UTC') COMMENT 'Start of the hour, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(hour)
ORDER BY (page_id, hour, method)
TTL hour + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 256, non_replicated_deduplication_window = 10000
COMMENT 'Requests per method and hour, over all services, endpoints and statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_page_requests_hour TO page_requests_hour AS
SELECT
    page_id, method, toStartOfHour(l.minute) AS hour,
    sum(l.requests) AS requests,
    sumIf(l.requests, status >= 500) AS errors,
    sumIf(l.requests, status BETWEEN 400 AND 499) AS client_errors,
    sum(l.latency_count) AS latency_count,
    sum(l.latency_sum_us) AS latency_sum_us,
    sumMap(l.latency_buckets) AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0
GROUP BY page_id, method, hour;

CREATE TABLE IF NOT EXISTS endpoint_requests_day
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
    endpoint String COMMENT 'Route template, without query string and trailing slash',
    method String COMMENT 'HTTP method, upper case',
    day DateTime('UTC') COMMENT 'Start of the day, UTC' CODEC(DoubleDelta, ZSTD),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 500 or above' CODEC(T64, ZSTD),
    client_errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Those with a status of 400 to 499' CODEC(T64, ZSTD),
    latency_count SimpleAggregateFunction(sum, UInt64) COMMENT 'Requests that carried a response time' CODEC(T64, ZSTD),
    latency_sum_us SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of the response times, microseconds' CODEC(T64, ZSTD),
    latency_buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))
        COMMENT 'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds' CODEC(ZSTD(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(day)
ORDER BY (page_id, service, endpoint, method, kind, day)
TTL day + INTERVAL 15 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 256, non_replicated_deduplication_window = 10000
COMMENT 'Requests per endpoint, method and day, over all statuses; rows of one key may not be merged yet, so always aggregate';

CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_endpoint_requests_day TO endpoint_requests_day AS
SELECT
    page_id, kind, service, endpoint, method, toStartOfDay(l.minute) AS day,
    l.requests AS requests,
    if(status >= 500, l.requests, 0) AS errors,
    if(status BETWEEN 400 AND 499, l.requests, 0) AS client_errors,
    l.latency_count AS latency_count,
    l.latency_sum_us AS latency_sum_us,
    l.latency_buckets AS latency_buckets
FROM landing_blocks AS l
WHERE status > 0;

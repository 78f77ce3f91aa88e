-- Samples of failing events: of each endpoint, minute and type of error the newest 20, whichever instances they came to. The
-- state keeps the least elements, so a sample begins with its time as a negative number; merges of parts keep the bound on
-- the disk as well. A state is of one type, so its elements have no names; `samples` gives them names, and is computed when
-- it is read. The sort order is the one of `messages`: lists begin with the newest. The view sends samples as `sent`, which is
-- not stored; so the state is a column that is computed, and `SELECT *` leaves it out.
CREATE TABLE IF NOT EXISTS failures
(
    page_id UUID COMMENT 'Status page that the row belongs to',
    kind Enum8('service' = 1, 'reporter' = 2) COMMENT 'service: sent through v1; reporter: sent through v2',
    service String COMMENT 'Service name (v1) or reporter id (v2)',
    endpoint String COMMENT 'Route template',
    error_type String COMMENT 'Class of the error, such as TypeError; empty when the sender gives none',
    minute DateTime('UTC') COMMENT 'Start of the minute, UTC' CODEC(DoubleDelta, ZSTD),
    failures SimpleAggregateFunction(sum, UInt64) COMMENT 'Failing requests that were sent with a sample, including those whose sample is not kept' CODEC(T64, ZSTD),
    sent Array(Tuple(Int64, String, UInt16, String, String, String, String, String, Array(Tuple(String, String)))) EPHEMERAL
        COMMENT 'Samples of a block; not stored',
    newest AggregateFunction(groupArraySorted(20), Tuple(Int64, String, UInt16, String, String, String, String, String, Array(Tuple(String, String))))
        MATERIALIZED arrayReduce('groupArraySortedState(20)', sent)
        COMMENT 'State of the newest samples, which SELECT * leaves out; read samples' CODEC(ZSTD(3)),
    samples Array(Tuple(at DateTime64(3, 'UTC'), method String, status UInt16, message String, trace_id String, span_id String, version String, stack String, attributes Array(Tuple(name String, value String))))
        ALIAS arrayMap(s -> tuple(fromUnixTimestamp64Milli(negate(s.1), 'UTC'), s.2, s.3, s.4, s.5, s.6, s.7, s.8, s.9), finalizeAggregation(newest))
        COMMENT 'The newest 20 samples, newest first; read with ARRAY JOIN samples AS sample'
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (page_id, minute, service, endpoint, kind, error_type)
TTL minute + INTERVAL 14 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 256, non_replicated_deduplication_window = 10000
COMMENT 'Samples of failing requests per endpoint, minute and type of error; rows of one key may not be merged yet, and have up to 20 samples each';

-- Samples stand behind the message of a row, and a zero byte before them: blocks that wait keep their columns, and instances
-- of earlier versions store them. Messages have no zero bytes.
CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_failures TO failures AS
SELECT
    page_id, kind, service, endpoint,
    tupleElement(arrayJoin(JSONExtract(substring(l.message, position(l.message, '\0') + 1), 'Array(Tuple(e String, n UInt64, s Array(Tuple(Int64, String, String, String, String, String, Array(Tuple(String, String))))))')) AS g, 'e') AS error_type,
    l.minute AS minute,
    g.n AS failures,
    arrayMap(s -> tuple(s.1, l.method, l.status, s.2, s.3, s.4, s.5, s.6, s.7), g.s) AS sent
FROM landing_blocks AS l
WHERE position(l.message, '\0') > 0;

-- The view of messages leaves out samples. A new view knows no tokens of earlier blocks, so one that is sent again during
-- the migration is written twice, with the same maximum.
CREATE MATERIALIZED VIEW IF NOT EXISTS landing_blocks_to_message_texts TO messages AS
SELECT
    page_id, kind, service, endpoint, minute,
    max(tuple(message_at, status, method, splitByChar('\0', message)[1])) AS latest
FROM landing_blocks
WHERE NOT startsWith(message, '\0') AND message != ''
GROUP BY page_id, kind, service, endpoint, minute;

DROP VIEW IF EXISTS landing_blocks_to_messages;

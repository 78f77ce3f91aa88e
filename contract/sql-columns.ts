import type { ReadableTable } from './sql-tables.js';

/** A column as docs/sql.md lists it. A test compares both with the columns of the store. */
export type SqlColumn = { name: string; type: string; comment: string };

type Table = { comment: string; columns: readonly SqlColumn[] };

const column = (name: string, type: string, comment: string): SqlColumn => ({ name, type, comment });
const sum = (type: string): string => `SimpleAggregateFunction(sum, ${type})`;
const max = (type: string): string => `SimpleAggregateFunction(max, ${type})`;
const min = (type: string): string => `SimpleAggregateFunction(min, ${type})`;
const count = 'Nullable(UInt64)';
const utc = "DateTime('UTC')";
const utcMs = "DateTime64(3, 'UTC')";
const gauges = [
  'open',
  'busy',
  'idle',
  'waiting',
  'minimum',
  'maximum',
  'peak_open',
  'peak_busy',
  'peak_waiting',
];

const pageId = column('page_id', 'UUID', 'Status page that the row belongs to');
const kind = column(
  'kind',
  "Enum8('service' = 1, 'reporter' = 2)",
  'service: sent through v1; reporter: sent through v2',
);
const service = column(
  'service',
  'String',
  'Service name (v1, lower case, or Unassigned) or reporter id (v2)',
);
const endpoint = column('endpoint', 'String', 'Route template, without query string and trailing slash');
const method = column('method', 'String', 'HTTP method, upper case');
const status = column('status', 'UInt16', 'HTTP status, 100 to 599; 500 and above are failures');
const minute = column('minute', utc, 'Start of the minute, UTC');
const hour = column('hour', utc, 'Start of the hour, UTC');
const day = column('day', utc, 'Start of the day, UTC');

const latencies: readonly SqlColumn[] = [
  column('latency_count', sum('UInt64'), 'Requests that carried a response time'),
  column('latency_sum_us', sum('UInt64'), 'Sum of the response times, microseconds'),
];
/** Figures from this column would be of rows of earlier versions alone: SQL may not read it, though tables have it. */
export const formerColumn = 'latency_sketch';
const sketch = column(
  formerColumn,
  'AggregateFunction(quantilesBFloat16WeightedArray(0.5, 0.95, 0.99), Array(Float32), Array(UInt32))',
  'Empty in new rows, and removed by a later release; read latency_buckets',
);
const buckets = column(
  'latency_buckets',
  'SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))',
  'Number of response times by bucket; the key 1000 * E + M is its upper bound, M * 10^E microseconds',
);
const counted = column('requests', sum('UInt64'), 'Number of requests');
const requests: readonly SqlColumn[] = [counted, ...latencies, sketch, buckets];
const requestsOfDay: readonly SqlColumn[] = [counted, ...latencies, buckets];
const requestsOfAllStatuses: readonly SqlColumn[] = [
  counted,
  column('errors', sum('UInt64'), 'Those with a status of 500 or above'),
  column('client_errors', sum('UInt64'), 'Those with a status of 400 to 499'),
  ...latencies,
  buckets,
];

const process = [
  pageId,
  column('service', 'String', 'Service that the process belongs to'),
  column('environment', 'String', 'Environment of the process'),
];
const pool = [
  ...process,
  column('system', 'String', 'Engine of the database'),
  column('target', 'String', 'Alias of the database'),
  column('pool', 'String', 'Alias of the pool'),
  column('server_pool', 'String', "Alias of one server's pool within the process"),
];
const session = column('session', 'UUID', 'Session of the process');
const intervalMinute = column('minute', utc, 'Minute of the last millisecond of the intervals, UTC');

const boundsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

const intervals: readonly SqlColumn[] = [
  column('intervals', sum('UInt64'), 'Intervals that were reported'),
  column('partial_intervals', sum('UInt64'), 'Those of them with partial coverage'),
  ...boundsMs.map((bound, at) => {
    const above = boundsMs[at - 1];
    const range = above === undefined ? 'at most' : `more than ${above} and at most`;
    const comment = `Acquisitions that took ${range} ${bound} ms; null when none were measured`;
    return column(`acquired_${bound}ms`, sum(count), comment);
  }),
  column(
    'acquired_longer',
    sum(count),
    'Acquisitions that took more than 5000 ms; null when none were measured',
  ),
  column(
    'acquisition_sum_us',
    sum(count),
    'Sum of the acquisition times, microseconds; null when none were measured',
  ),
  column('failures', sum(count), 'Failed acquisitions; null when not measured'),
  column('created', sum(count), 'Connections created; null when not measured'),
  column('closed', sum(count), 'Connections closed; null when not measured'),
  column('peak_open', max(count), 'Most open connections of one process; null when not measured'),
  column('peak_busy', max(count), 'Most busy connections of one process; null when not measured'),
  column('peak_waiting', max(count), 'Most waiting callers of one process; null when not measured'),
];

const newest = [
  `at ${utcMs}`,
  "coverage Enum8('none' = 0, 'complete' = 1, 'partial' = 2)",
  ...gauges.map((gauge) => `${gauge} ${count}`),
].join(', ');

/** The tables that the SQL of a page can read, in words. */
export const readableColumns: Readonly<Record<ReadableTable, Table>> = {
  requests_minute: {
    comment: 'One row per service, endpoint, method, status and minute',
    columns: [pageId, kind, service, endpoint, method, status, minute, ...requests],
  },
  requests_hour: {
    comment: 'One row per service, endpoint, method, status and hour',
    columns: [pageId, kind, service, endpoint, method, status, hour, ...requests],
  },
  service_requests_minute: {
    comment: 'Sums over endpoints and methods: one row per service, status and minute',
    columns: [pageId, kind, service, status, minute, ...requests],
  },
  service_requests_hour: {
    comment: 'Sums over endpoints and methods: one row per service, status and hour',
    columns: [pageId, kind, service, status, hour, ...requests],
  },
  service_requests_day: {
    comment: 'Sums over endpoints and methods: one row per service, status and day',
    columns: [pageId, kind, service, status, day, ...requestsOfDay],
  },
  page_requests_minute: {
    comment: 'Sums over services, endpoints and statuses: one row per method and minute',
    columns: [pageId, method, minute, ...requestsOfAllStatuses],
  },
  page_requests_hour: {
    comment: 'Sums over services, endpoints and statuses: one row per method and hour',
    columns: [pageId, method, hour, ...requestsOfAllStatuses],
  },
  page_requests_day: {
    comment: 'Sums over services, endpoints and statuses: one row per method and day',
    columns: [pageId, method, day, ...requestsOfAllStatuses],
  },
  endpoint_requests_day: {
    comment: 'Sums over statuses: one row per service, endpoint, method and day',
    columns: [pageId, kind, service, endpoint, method, day, ...requestsOfAllStatuses],
  },
  version_requests_hour: {
    comment: 'Sums over endpoints, methods and statuses: one row per version of a service and hour',
    columns: [
      pageId,
      column('service', 'String', 'Service name, lower case'),
      column('version', 'String', 'Version of the service'),
      column('environment', 'String', 'Environment of the deployment, lower case; empty for none'),
      ...[hour, ...requestsOfAllStatuses],
    ],
  },
  messages: {
    comment: 'Newest message of a response with status 400 or above, per service, endpoint and minute',
    columns: [
      ...[pageId, kind, column('service', 'String', 'Service name (v1) or reporter id (v2)')],
      ...[column('endpoint', 'String', 'Route template'), minute],
      column(
        'latest',
        max(`Tuple(at ${utcMs}, status UInt16, method String, message String)`),
        'Newest message on a response of status 400 or above: latest.at, latest.status, latest.method, latest.message; read with max(latest)',
      ),
    ],
  },
  failures: {
    comment:
      'Samples of failing requests, per service, endpoint, type of error and minute: the newest 20 of each',
    columns: [
      ...[pageId, kind, column('service', 'String', 'Service name (v1) or reporter id (v2)')],
      column('endpoint', 'String', 'Route template'),
      column(
        'error_type',
        'String',
        'Class of the error, such as TypeError; empty when the sender gives none',
      ),
      minute,
      column(
        'failures',
        sum('UInt64'),
        'Failing requests that were sent with a sample, including those whose sample is not kept',
      ),
      column(
        'newest',
        `AggregateFunction(groupArraySorted(20), Tuple(Int64, String, UInt16, String, String, String, String, String, Array(Tuple(String, String))))`,
        'State of the newest samples, which SELECT * leaves out; read samples',
      ),
      column(
        'samples',
        `Array(Tuple(at ${utcMs}, method String, status UInt16, message String, trace_id String, span_id String, version String, stack String, attributes Array(Tuple(name String, value String))))`,
        'The newest 20 samples, newest first; read with ARRAY JOIN samples AS sample',
      ),
    ],
  },
  reports: {
    comment: 'Calls of services and reporters, by time of arrival',
    columns: [
      ...[pageId, kind, column('service', 'String', 'Service name (v1) or reporter id (v2)')],
      column('minute', utc, 'Minute in which the calls arrived, UTC'),
      column('calls', sum('UInt64'), 'Number of accepted batches and heartbeats'),
      column('last_report_at', max(utcMs), 'When the last of them arrived'),
    ],
  },
  pools_minute: {
    comment: 'Connection pools, summed over all processes',
    columns: [
      ...[...pool, intervalMinute, ...intervals],
      column(
        'capacity_busy',
        sum(count),
        'Busy connections at the ends of those intervals whose pool knows its maximum',
      ),
      column(
        'capacity_maximum',
        sum(count),
        'Sum of those maxima; capacity_busy / capacity_maximum is the utilisation',
      ),
    ],
  },
  process_pools_minute: {
    comment: 'Connection pools of each process, with its gauges',
    columns: [
      ...[...pool, session, intervalMinute, ...intervals],
      column(
        'newest',
        max(`Tuple(${newest})`),
        'The interval that ends last: newest.at is its end, then its gauges and peaks; null when not measured; read with max(newest)',
      ),
    ],
  },
  pool_exporters_minute: {
    comment: 'Reports that processes lost before they arrived',
    columns: [
      ...[...process, session, intervalMinute],
      column('started_at', min(utcMs), 'When the session began, UTC'),
      column('reports', sum('UInt64'), 'Reports'),
      column(
        'dropped_least',
        min('UInt64'),
        'Reports dropped since the session began, by the first report of the minute',
      ),
      column(
        'dropped',
        max('UInt64'),
        'Reports dropped since the session began, by the last report of the minute',
      ),
      column(
        'failures_least',
        min('UInt64'),
        'Failed sends since the session began, by the first report of the minute',
      ),
      column(
        'failures',
        max('UInt64'),
        'Failed sends since the session began, by the last report of the minute',
      ),
    ],
  },
};

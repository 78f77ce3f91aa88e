import Type, { type Static } from 'typebox';
import { limits } from './limits.js';
import { sqlLimits } from './sql-tables.js';

/** Limits of the parameters of the analytics routes. */
export const analyticsLimits = {
  stepSecondsMin: 60,
  pointsPerSeries: 1_500,
  /** Points of all series of one answer together, about 4 MB of JSON. */
  points: 30_000,
  seriesDefault: 20,
  series: 200,
  messagesDefault: 100,
  messages: 1_000,
  windowSecondsMin: 60,
  windowSecondsDefault: 3_600,
  windowSecondsMax: limits.eventRetentionDays * 86_400,
  /** A reporter with fewer requests is marked `thin`. */
  thinRequests: 100,
  /**
   * Reads in one process: of all pages that use the installation's ClickHouse, of all pages with a store of their own, of
   * one page, and those of one page that wait. A store of a page's own that hangs holds two reads, so those of 32 pages
   * may hang before another page with such a store waits.
   */
  reads: 6,
  readsOfOwnStores: 64,
  readsPerPage: 2,
  readsWaitingPerPage: 30,
  /** How long a read waits for its turn: for a few usual ones of the page, and not for one that takes its 20 s. */
  readWaitSecondsMax: 5,
} as const;

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description?: string) =>
  Type.String({ format: 'date-time', ...(description !== undefined && { description }) });
const Ms = Nullable(Type.Number({ description: 'null when nothing was measured.' }));

const timeForms = 'a time with a zone, a date (UTC), or now, now-30m, now-6h, now-7d';

/** Parameters of every route that reads a range. */
export const rangeParameters = {
  from: Type.Optional(
    Type.String({
      description: `Inclusive: ${timeForms}. A date is the start of that day. An hour before \`to\` when missing.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: `Exclusive: ${timeForms}. A date is the end of that day. Now when missing.`,
    }),
  ),
} as const;

export const stepParameter = Type.Optional(
  Type.Integer({
    minimum: analyticsLimits.stepSecondsMin,
    multipleOf: analyticsLimits.stepSecondsMin,
    description: `Seconds per point; chosen for at most 120 points when missing. A range has at most ${analyticsLimits.pointsPerSeries} points.`,
  }),
);

const asStored = 'Written as in an event; normalised in the same way.';
const service = Type.Optional(
  Type.String({ description: `Service name (v1) or reporter id (v2). ${asStored}` }),
);
const endpoint = Type.Optional(Type.String({ description: `Route template. ${asStored}` }));

export const groupings = ['service', 'endpoint', 'method', 'status'] as const;
export type Grouping = (typeof groupings)[number];

export const RequestsParameters = Type.Object({
  ...rangeParameters,
  step: stepParameter,
  service,
  endpoint,
  method: Type.Optional(Type.String({ description: `HTTP method. ${asStored}` })),
  status: Type.Optional(
    Type.Integer({ minimum: limits.statusMin, maximum: limits.statusMax, description: 'HTTP status.' }),
  ),
  groupBy: Type.Optional(
    Type.Enum([...groupings], { description: 'One series for each value; one of everything when missing.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.series,
      default: analyticsLimits.seriesDefault,
      description: 'Most series.',
    }),
  ),
});

export const RequestsPoint = Type.Object({
  at: Time('Start of the step; steps are counted from 1970-01-01T00:00:00Z.'),
  count: Type.Integer(),
  errors: Type.Integer({ description: 'Status 500 and above.' }),
  clientErrors: Type.Integer({ description: 'Status 400 to 499.' }),
  averageMs: Ms,
  p50Ms: Ms,
  p95Ms: Ms,
  p99Ms: Ms,
});
export type RequestsPoint = Static<typeof RequestsPoint>;

export const RequestsAnswer = Type.Object(
  {
    from: Time('The given time, moved back to a whole minute.'),
    to: Time('The given time, moved forward to a whole minute.'),
    step: Type.Integer(),
    groupBy: Nullable(Type.Enum([...groupings])),
    series: Type.Array(
      Type.Object({
        group: Type.Union([Type.String(), Type.Integer(), Type.Null()]),
        points: Type.Array(RequestsPoint),
      }),
      { description: 'Largest count first.' },
    ),
    truncated: Type.Boolean({ description: 'Whether there are more groups than the limit.' }),
  },
  { $id: 'RequestsAnswer' },
);
export type RequestsAnswer = Static<typeof RequestsAnswer>;

export const ReportersParameters = Type.Object({
  window: Type.Optional(
    Type.Integer({
      minimum: analyticsLimits.windowSecondsMin,
      maximum: analyticsLimits.windowSecondsMax,
      default: analyticsLimits.windowSecondsDefault,
      description: 'Length of the window up to now over which requests and errors are counted, in seconds.',
    }),
  ),
});

/** States in order, worst first. */
export const reporterStates = ['failing', 'silent', 'late', 'clean'] as const;
export type ReporterState = (typeof reporterStates)[number];

export const ReporterHealth = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: Type.Enum(['reporter', 'service']),
  state: Type.Enum([...reporterStates]),
  thin: Type.Boolean({ description: `Fewer than ${analyticsLimits.thinRequests} requests in the window.` }),
  requests: Type.Integer(),
  errors: Type.Integer({ description: 'Status 500 and above.' }),
  failureRate: Nullable(Type.Number({ description: 'errors / requests, 0 to 1; null without requests.' })),
  lastReportAt: Nullable(Time()),
  ageSeconds: Nullable(Type.Integer({ description: 'Seconds since the last report.' })),
  expectedEverySeconds: Nullable(Type.Integer({ description: 'Interval that the reporter promises.' })),
  region: Nullable(Type.String()),
  team: Nullable(Type.String()),
});
export type ReporterHealth = Static<typeof ReporterHealth>;

export const ReportersAnswer = Type.Object(
  {
    window: Type.Integer(),
    reporters: Type.Array(ReporterHealth, { description: 'Worst state first.' }),
  },
  { $id: 'ReportersAnswer' },
);
export type ReportersAnswer = Static<typeof ReportersAnswer>;

export const MessagesParameters = Type.Object({
  ...rangeParameters,
  service,
  endpoint,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.messages,
      default: analyticsLimits.messagesDefault,
      description: 'Most messages.',
    }),
  ),
});

export const MessagesAnswer = Type.Object(
  {
    messages: Type.Array(
      Type.Object({
        at: Time(),
        service: Type.String(),
        endpoint: Type.String(),
        method: Type.String(),
        status: Type.Integer(),
        message: Type.String(),
      }),
      { description: 'Newest first. The newest failing message of each endpoint and minute is stored.' },
    ),
    truncated: Type.Boolean(),
  },
  { $id: 'MessagesAnswer' },
);
export type MessagesAnswer = Static<typeof MessagesAnswer>;

/** Names of the supported output formats, with the media types of their answers. */
export const sqlFormats = {
  JSON: 'application/json; charset=utf-8',
  JSONEachRow: 'application/x-ndjson; charset=utf-8',
  CSV: 'text/csv; charset=utf-8; header=present',
  CSVWithNames: 'text/csv; charset=utf-8; header=present',
  TSV: 'text/tab-separated-values; charset=utf-8',
  TSVWithNames: 'text/tab-separated-values; charset=utf-8',
  Parquet: 'application/vnd.apache.parquet',
  Arrow: 'application/vnd.apache.arrow.file',
} as const;
export type SqlFormat = keyof typeof sqlFormats;

/**
 * Returns ClickHouse's name of a format. CSV begins with the names of the columns, as spreadsheets expect; ClickHouse's
 * own CSV does not. TSV is the same in both.
 */
export function serverFormat(format: string): string {
  return format === 'CSV' ? 'CSVWithNames' : format;
}

export const SqlBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: sqlLimits.queryBytes,
      description:
        'One SELECT statement, or SHOW TABLES, DESCRIBE TABLE or SHOW CREATE TABLE for the tables that it can read.',
    }),
    format: Type.Optional(
      Type.Enum(['JSON', 'JSONEachRow', 'CSV', 'CSVWithNames', 'TSV', 'TSVWithNames', 'Parquet', 'Arrow'], {
        default: 'JSON',
        description: 'CSV is CSVWithNames: its first line has the names of the columns.',
      }),
    ),
  },
  { $id: 'SqlBody' },
);
export type SqlBody = Static<typeof SqlBody>;

/** The answer in the format JSON, for the published description only: ClickHouse writes it. */
export const SqlAnswer = Type.Object(
  {
    meta: Type.Array(Type.Object({ name: Type.String(), type: Type.String() }), {
      description: 'The columns with their types in ClickHouse.',
    }),
    data: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'The rows.' }),
    rows: Type.Integer({ description: 'Number of rows.' }),
  },
  { $id: 'SqlAnswer' },
);

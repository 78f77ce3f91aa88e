import Type, { type Static } from 'typebox';
import { Alias } from './alias.js';

/** Limits of the reports of a process about its connection pools. */
export const poolReportLimits = {
  bodyBytes: 64 * 1024,
  poolsPerReport: 16,
  intervalSecondsMax: 120,
  /** Longest time from the end of an interval to the arrival of its report. */
  lateSecondsMax: 15 * 60,
  /** How far the clock of the process may be ahead of the clock of the service. */
  aheadSecondsMax: 30,
  reportsPerSessionAndHour: 120,
  serverPoolsPerSessionAndHour: 16,
  requestsPerPageAndMinute: 1_024,
} as const;

/**
 * Upper bounds of the buckets of successful acquisitions, in milliseconds. A further bucket without an upper bound counts
 * all longer ones. A duration that equals a bound belongs to the bucket that ends there.
 */
export const acquisitionBoundsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000] as const;
export const acquisitionBuckets = acquisitionBoundsMs.length + 1;

export const poolGauges = ['open', 'busy', 'idle', 'waiting'] as const;
export type PoolGauge = (typeof poolGauges)[number];
/** Gauges with a peak. */
export const poolPeaks = ['open', 'busy', 'waiting'] as const;
export const poolCounters = ['failures', 'created', 'closed'] as const;
export const poolMeasurements = [...poolGauges, 'acquisition', ...poolCounters] as const;
export type PoolMeasurement = (typeof poolMeasurements)[number];

export const poolCoverages = ['complete', 'partial'] as const;
export type PoolCoverage = (typeof poolCoverages)[number];

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const count = (description?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    ...(description !== undefined && { description }),
  });
const measured = Nullable(count());
const interval = (what: string) => Nullable(count(`${what} in this interval.`));
const time = (description: string) => Type.String({ description: `ISO-8601. ${description}` });

export const Pool = Type.Object(
  {
    system: Alias('Engine, such as `mongodb`.'),
    target: Alias('The database of the pool.'),
    pool: Alias('Name of the pool within the process.'),
    serverPool: Alias('Distinguishes the pools of the servers of a topology.'),
    driverVersion: Alias('Version of the driver.'),
    coverage: Type.Enum([...poolCoverages], {
      description: '`complete` when every supported gauge with a peak has it; `partial` when a peak is null.',
    }),
    supported: Type.Array(Type.Enum([...poolMeasurements]), {
      uniqueItems: true,
      description: 'What the driver can measure. These values are not null; all others are null.',
    }),
    snapshot: Type.Object(
      { open: measured, busy: measured, idle: measured, waiting: measured },
      {
        description:
          'Values at the end of the interval. `busy` connections are checked out; `open` is `busy` plus `idle`.',
      },
    ),
    peaks: Type.Object(
      { open: measured, busy: measured, waiting: measured },
      { description: 'Highest value within the interval, including its end; null when unknown.' },
    ),
    acquisition: Nullable(
      Type.Object({
        counts: Type.Array(count(), {
          minItems: acquisitionBuckets,
          maxItems: acquisitionBuckets,
          description: `Successful acquisitions by duration, each in one bucket: up to ${acquisitionBoundsMs.join(', ')} ms, and longer.`,
        }),
        sumMs: Type.Number({
          minimum: 0,
          maximum: Math.floor(Number.MAX_SAFE_INTEGER / 1000),
          description: 'Sum of their durations.',
        }),
      }),
    ),
    failures: interval('Acquisitions that failed'),
    created: interval('Connections created'),
    closed: interval('Connections closed'),
    minimum: Type.Optional(Nullable(count('Configured minimum of connections.'))),
    maximum: Type.Optional(Nullable(count('Configured maximum of connections; null without a limit.'))),
  },
  { $id: 'Pool' },
);
/** Measurements of one pool in one interval. */
export type Pool = Static<typeof Pool>;

export const PoolReport = Type.Object(
  {
    version: Type.Literal(1),
    session: Type.String({ format: 'uuid', description: 'Id that the process chooses when it starts.' }),
    sequence: count('Increases by one with each interval of the session.'),
    service: Alias('Fixed for the session.'),
    environment: Alias('Fixed for the session.'),
    revision: Alias('Fixed for the session.'),
    startedAt: time('Start of the session, fixed for it.'),
    from: time('Not before the start of the session.'),
    to: time(
      `At most ${poolReportLimits.intervalSecondsMax} s after \`from\`, and at most ${poolReportLimits.lateSecondsMax} s in the past.`,
    ),
    pools: Type.Array(Type.Ref('Pool'), { maxItems: poolReportLimits.poolsPerReport }),
    exporter: Type.Object(
      { dropped: count('Reports dropped.'), failures: count('Attempts to send that failed.') },
      { description: 'Counters over the life of the process.' },
    ),
  },
  { $id: 'PoolReport' },
);
/** The measurements of a process in one interval, in the form in which they are sent. */
export type PoolReport = Omit<Static<typeof PoolReport>, 'pools'> & { pools: Pool[] };

export const PoolReportAcknowledgement = Type.Object(
  {
    version: Type.Literal(1),
    accepted: Type.Literal(true),
    duplicate: Type.Boolean({
      description: 'Whether the report was stored already and this request changed nothing.',
    }),
  },
  { $id: 'PoolReportAcknowledgement' },
);
export type PoolReportAcknowledgement = Static<typeof PoolReportAcknowledgement>;

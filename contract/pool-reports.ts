import Type, { type Static } from 'typebox';
import { Alias } from './alias.js';

/** Bounds of what a process may report of its connection pools. */
export const poolReportLimits = {
  bodyBytes: 64 * 1024,
  poolsPerReport: 16,
  intervalSecondsMax: 120,
  /** From the end of the interval to its arrival. */
  lateSecondsMax: 15 * 60,
  /** By how much the clock of the process may be ahead of ours. */
  aheadSecondsMax: 30,
  reportsPerSessionAndHour: 120,
  serverPoolsPerSessionAndHour: 16,
  requestsPerPageAndMinute: 1_024,
} as const;

/**
 * Upper bounds of the buckets into which successful acquisitions are counted, in milliseconds; the last bucket, of
 * all that took longer, has none. A duration on a bound belongs to the bucket that ends there.
 */
export const acquisitionBoundsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000] as const;
export const acquisitionBuckets = acquisitionBoundsMs.length + 1;

export const poolGauges = ['open', 'busy', 'idle', 'waiting'] as const;
export type PoolGauge = (typeof poolGauges)[number];
/** The gauges that have a peak. */
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
    target: Alias('The database that the pool leads to.'),
    pool: Alias('Name of the pool within the process.'),
    serverPool: Alias('Tells the pools of the servers of a topology apart.'),
    driverVersion: Alias('Version of the driver.'),
    coverage: Type.Enum([...poolCoverages], {
      description: '`complete` when every declared gauge that has a peak has it; `partial` when one is null.',
    }),
    supported: Type.Array(Type.Enum([...poolMeasurements]), {
      uniqueItems: true,
      description: 'What the driver lets the process measure. All else is null, and nothing of it is.',
    }),
    snapshot: Type.Object(
      { open: measured, busy: measured, idle: measured, waiting: measured },
      {
        description: 'At the end of the interval; `busy` is checked out. `open` is `busy` plus `idle`.',
      },
    ),
    peaks: Type.Object(
      { open: measured, busy: measured, waiting: measured },
      { description: 'Highest value within the interval, its end included; null when it is not known.' },
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
          description: 'Duration of all of them together.',
        }),
      }),
    ),
    failures: interval('Acquisitions that failed'),
    created: interval('Connections that were made'),
    closed: interval('Connections that were closed'),
    minimum: Type.Optional(Nullable(count('Connections that the pool keeps at least, as configured.'))),
    maximum: Type.Optional(
      Nullable(count('Connections that it makes at most, as configured; null when there is no such limit.')),
    ),
  },
  { $id: 'Pool' },
);
/** Measurements of one pool in one interval. */
export type Pool = Static<typeof Pool>;

export const PoolReport = Type.Object(
  {
    version: Type.Literal(1),
    session: Type.String({ format: 'uuid', description: 'Chosen by the process when it starts.' }),
    sequence: count('One more with each interval of the session.'),
    service: Alias('Fixed for the session.'),
    environment: Alias('Fixed for the session.'),
    revision: Alias('Fixed for the session.'),
    startedAt: time('Start of the session, fixed for it.'),
    from: time('Not before the start of the session.'),
    to: time(
      `Later than \`from\` by at most ${poolReportLimits.intervalSecondsMax} s, and at most ${poolReportLimits.lateSecondsMax} s ago.`,
    ),
    pools: Type.Array(Type.Ref('Pool'), { maxItems: poolReportLimits.poolsPerReport }),
    exporter: Type.Object(
      { dropped: count('Reports given up.'), failures: count('Attempts to send that failed.') },
      { description: 'Counters over the life of the process.' },
    ),
  },
  { $id: 'PoolReport' },
);
/** What a process measured of its pools in an interval, as it is sent. */
export type PoolReport = Omit<Static<typeof PoolReport>, 'pools'> & { pools: Pool[] };

export const PoolReportAcknowledgement = Type.Object(
  {
    version: Type.Literal(1),
    accepted: Type.Literal(true),
    duplicate: Type.Boolean({
      description: 'Whether the report was here already, and this one changed nothing.',
    }),
  },
  { $id: 'PoolReportAcknowledgement' },
);
export type PoolReportAcknowledgement = Static<typeof PoolReportAcknowledgement>;

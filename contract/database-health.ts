import Type, { type Static } from 'typebox';
import { analyticsLimits } from './analytics/limits.js';
import { KeptCount, rangeNotes, rangeParameters, stepParameter } from './analytics/parameters.js';
import { engines, observationLimits } from './observations.js';
import { acquisitionBoundsMs, poolCoverages } from './pool-reports.js';

/** The dimensions of a pool. Each can be a filter or a grouping. */
export const poolDimensions = ['service', 'environment', 'system', 'target', 'pool', 'serverPool'] as const;
export type PoolDimension = (typeof poolDimensions)[number];

export const databaseHealthLimits = {
  /** A pool without a report for this time is not current. */
  currentSecondsMax: 180,
  currentPools: 1_000,
  /** Most pairs of service and environment whose exporters are listed. */
  exporters: 200,
  /** A point with fewer acquisitions is marked `thin`, because its percentiles mean little. */
  thinAcquisitions: 100,
} as const;

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: 'date-time', description });
const Count = (description: string) => Nullable(Type.Integer({ description }));
const filter = (description: string) => Type.Optional(Type.String({ description: `Exact ${description}.` }));

const pools = {
  ...rangeParameters,
  step: stepParameter,
  service: filter('service of the process'),
  environment: filter('environment of the process or source'),
  system: filter('engine'),
  target: filter('alias of the database'),
  pool: filter('alias of the pool'),
  serverPool: filter('alias of the pool of one server'),
};

export const DatabaseHealthParameters = Type.Object({
  ...pools,
  groupBy: Type.Optional(
    Type.Enum([...poolDimensions], {
      description: 'One series for each value; one of all pools when missing.',
    }),
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

export const DatabaseSource = Type.Object({
  sourceId: Type.String(),
  engine: Type.Enum([...engines]),
  environment: Type.String(),
  target: Type.String(),
  connectionId: Nullable(Type.String()),
  observedAt: Time('Time of the newest observation.'),
  fresh: Type.Boolean({
    description: `Observed within the last ${observationLimits.ageSecondsMax / 60} minutes.`,
  }),
  outcome: Type.String(),
  latencyMs: Type.Number(),
  capabilities: Type.Array(Type.String()),
  connections: Count('Open connections.'),
  connectionLimit: Count('Most connections that the server accepts.'),
  activeSessions: Count('Sessions that run a statement.'),
  blockedSessions: Count('Sessions that wait for a lock.'),
});
export type DatabaseSource = Static<typeof DatabaseSource>;

const dimensions = {
  service: Type.String(),
  environment: Type.String(),
  system: Type.String(),
  target: Type.String(),
  pool: Type.String(),
  serverPool: Type.String(),
};

export const CurrentPool = Type.Object({
  ...dimensions,
  processes: Type.Integer({ description: 'Sessions that the figures cover.' }),
  coverage: Type.Enum([...poolCoverages], {
    description:
      '`partial` when a process measured a part of the values, or a part of the processes measured a value.',
  }),
  reportedAt: Time('End of the newest interval.'),
  snapshot: Type.Object(
    {
      open: Count('Open connections.'),
      busy: Count('Busy connections.'),
      idle: Count('Idle connections.'),
      waiting: Count('Callers that wait for a connection.'),
    },
    { description: 'Sums over the processes that measured the value; null when none measured it.' },
  ),
  peaks: Type.Object(
    {
      open: Count('Open connections.'),
      busy: Count('Busy connections.'),
      waiting: Count('Waiting callers.'),
    },
    {
      description: 'Highest value of one process in its newest interval; null when none measured it.',
    },
  ),
});
export type CurrentPool = Static<typeof CurrentPool>;

/** A percentile in the last bucket, which has no upper bound. */
export const longestBucket = `> ${Math.max(...acquisitionBoundsMs)}` as const;

const Percentile = Nullable(
  Type.Union([Type.Number(), Type.String()], {
    description: `Upper bound of its bucket in milliseconds, or "${longestBucket}"; null without acquisitions.`,
  }),
);

export const PoolPoint = Type.Object({
  at: Time('Start of the step; steps are counted from 1970-01-01T00:00:00Z.'),
  acquisitions: Count('Successful acquisitions; null when no process measured them.'),
  averageMs: Nullable(Type.Number()),
  p50Ms: Percentile,
  p95Ms: Percentile,
  p99Ms: Percentile,
  failures: Count('Acquisitions that failed.'),
  created: Count('Connections created.'),
  closed: Count('Connections closed.'),
  peakWaiting: Count('Most callers that waited in one process.'),
  utilisation: Nullable(
    Type.Number({
      description:
        'Busy connections divided by the maximum, 0 to 1, at the ends of the intervals of pools that report both.',
    }),
  ),
  coverage: Nullable(Type.Enum([...poolCoverages], { description: 'null without a report; null is not 0.' })),
  thin: Type.Boolean({
    description: `Fewer than ${databaseHealthLimits.thinAcquisitions} acquisitions.`,
  }),
});
export type PoolPoint = Static<typeof PoolPoint>;

export const ExporterLoss = Type.Object({
  service: Type.String(),
  environment: Type.String(),
  processes: KeptCount('Sessions that reported in the range.'),
  dropped: KeptCount('Reports that these processes dropped in the range.'),
  failures: KeptCount('Attempts to send that failed in the range.'),
});
export type ExporterLoss = Static<typeof ExporterLoss>;

export const DatabaseHealthAnswer = Type.Object(
  {
    from: Time('As asked, moved back to a whole minute.'),
    to: Time('As asked, moved on to a whole minute.'),
    step: Type.Integer(),
    ...rangeNotes,
    groupBy: Nullable(Type.Enum([...poolDimensions])),
    sources: Type.Array(DatabaseSource, {
      description: 'Newest observations of servers at present, filtered by engine, environment and target.',
    }),
    current: Type.Object({
      pools: Type.Array(CurrentPool, {
        description: `Pools with a report in the last ${databaseHealthLimits.currentSecondsMax} s. A missing pool was not reported; missing is not 0.`,
      }),
      truncated: Type.Boolean(),
    }),
    series: Type.Array(Type.Object({ group: Nullable(Type.String()), points: Type.Array(PoolPoint) }), {
      description: 'Most acquisitions first.',
    }),
    truncated: Type.Boolean({ description: 'Whether there are more groups than the limit.' }),
    exporters: Type.Object({
      services: Type.Array(ExporterLoss, {
        description:
          'Losses of exporters, largest first, filtered by service and environment, because an exporter reports all pools of its process.',
      }),
      truncated: Type.Boolean(),
    }),
  },
  { $id: 'DatabaseHealthAnswer' },
);
export type DatabaseHealthAnswer = Static<typeof DatabaseHealthAnswer>;

export const AcquisitionsParameters = Type.Object(pools);

export const AcquisitionsAnswer = Type.Object(
  {
    from: Time('As asked, moved back to a whole minute.'),
    to: Time('As asked, moved on to a whole minute.'),
    step: Type.Integer({ description: 'Seconds per point.' }),
    ...rangeNotes,
    boundsMs: Type.Array(Type.Integer(), {
      description:
        'Upper bounds of the buckets in milliseconds. Each point has a bucket more, which has no upper bound.',
    }),
    points: Type.Array(
      Type.Object({
        at: Time('Start of the step; steps are counted from 1970-01-01T00:00:00Z.'),
        buckets: Nullable(
          Type.Array(Type.Integer(), {
            description: 'Successful acquisitions by their time; null when no process measured them.',
          }),
        ),
      }),
    ),
  },
  { $id: 'AcquisitionsAnswer' },
);
export type AcquisitionsAnswer = Static<typeof AcquisitionsAnswer>;

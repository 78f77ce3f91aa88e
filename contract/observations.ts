import Type, { type Static } from 'typebox';
import { Alias } from './alias.js';
import { limits } from './limits.js';

/** Bounds of what is taken of database servers. */
export const observationLimits = {
  bodyBytes: 16 * 1024,
  requestsPerPageAndMinute: 12,
  /** Those that were observed within the time that observations are kept. */
  sourcesPerPage: 20,
  ageSecondsMax: 15 * 60,
  /** By how much the clock of whoever reports may be ahead of ours. */
  aheadSecondsMax: 30,
  keptHours: 24,
  capabilities: 50,
  outcomeChars: 40,
  connectionsPerPage: 200,
} as const;

export const engines = ['mongodb', 'postgresql', 'mysql'] as const;
export type Engine = (typeof engines)[number];

const measured = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.Null()], {
    description: `${description} null when it was not measured.`,
  });

const Result = Type.Object({
  engine: Type.Enum([...engines]),
  outcome: Type.String({
    pattern: '^[a-z][a-z0-9_-]*$',
    maxLength: observationLimits.outcomeChars,
    description: '`connected`, or in one word what came instead, such as `timeout` or `unauthorized`.',
  }),
  checkedAt: Type.String({
    description: `ISO-8601. At most ${observationLimits.ageSecondsMax} s ago, and ${observationLimits.aheadSecondsMax} s ahead.`,
  }),
  latencyMs: Type.Number({ minimum: 0, maximum: limits.latencyMsMax }),
  capabilities: Type.Array(Alias('What the server can do.'), { maxItems: observationLimits.capabilities }),
});

const Measurements = Type.Object({
  connections: measured('Open connections.'),
  connectionLimit: measured('The most that the server takes.'),
  activeSessions: measured('Sessions that run something.'),
  blockedSessions: measured('Sessions that wait for a lock.'),
});

export const Observation = Type.Object(
  {
    version: Type.Literal(1),
    observationId: Type.String({
      format: 'uuid',
      description: 'Its identity: sent again with the same data, it is acknowledged and not stored twice.',
    }),
    sourceId: Alias('Whatever observes one target; engine, environment, target and connection are fixed.'),
    environment: Alias('Fixed for the source.'),
    target: Alias('The database that was observed, fixed for the source.'),
    connectionId: Type.Union([Type.String(), Type.Null()], {
      description: 'Of a saved connection of the same page and engine; fixed for the source.',
    }),
    sample: Type.Object({ result: Result, measurements: Measurements }),
  },
  { $id: 'Observation' },
);
/** What was seen of one database server at one time, as it is sent. */
export type Observation = Static<typeof Observation>;

export const ObservationAcknowledgement = Type.Object(
  {
    version: Type.Literal(1),
    accepted: Type.Literal(true),
    duplicate: Type.Boolean({
      description: 'Whether the observation was here already, and this one changed nothing.',
    }),
    observationId: Type.String({ format: 'uuid' }),
  },
  { $id: 'ObservationAcknowledgement' },
);
export type ObservationAcknowledgement = Static<typeof ObservationAcknowledgement>;

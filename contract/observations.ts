import Type, { type Static } from 'typebox';
import { Alias } from './alias.js';
import { limits } from './limits.js';

/** Limits of observations of database servers. */
export const observationLimits = {
  bodyBytes: 16 * 1024,
  requestsPerPageAndMinute: 12,
  /** Sources with an observation within the time that observations are kept. */
  sourcesPerPage: 20,
  ageSecondsMax: 15 * 60,
  /** How far the clock of the sender may be ahead of the clock of the service. */
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
    description: `${description} null when not measured.`,
  });

const Result = Type.Object({
  engine: Type.Enum([...engines]),
  outcome: Type.String({
    pattern: '^[a-z][a-z0-9_-]*$',
    maxLength: observationLimits.outcomeChars,
    description: '`connected`, or one word for the failure, such as `timeout` or `unauthorized`.',
  }),
  checkedAt: Type.String({
    description: `ISO-8601. At most ${observationLimits.ageSecondsMax} s in the past and ${observationLimits.aheadSecondsMax} s in the future.`,
  }),
  latencyMs: Type.Number({ minimum: 0, maximum: limits.latencyMsMax }),
  capabilities: Type.Array(Alias('A capability of the server.'), {
    maxItems: observationLimits.capabilities,
  }),
});

const Measurements = Type.Object({
  connections: measured('Open connections.'),
  connectionLimit: measured('Most connections that the server accepts.'),
  activeSessions: measured('Sessions that run a statement.'),
  blockedSessions: measured('Sessions that wait for a lock.'),
});

export const Observation = Type.Object(
  {
    version: Type.Literal(1),
    observationId: Type.String({
      format: 'uuid',
      description:
        'Identity of the observation. A repetition with the same data is acknowledged and not stored again.',
    }),
    sourceId: Alias('The observer of one target. Its engine, environment, target and connection are fixed.'),
    environment: Alias('Fixed for the source.'),
    target: Alias('The observed database, fixed for the source.'),
    connectionId: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of a saved connection of the same page and engine, fixed for the source.',
    }),
    sample: Type.Object({ result: Result, measurements: Measurements }),
  },
  { $id: 'Observation' },
);
/** An observation of one database server at one time, in the form in which it is sent. */
export type Observation = Static<typeof Observation>;

export const ObservationAcknowledgement = Type.Object(
  {
    version: Type.Literal(1),
    accepted: Type.Literal(true),
    duplicate: Type.Boolean({
      description: 'Whether the observation was stored already and this request changed nothing.',
    }),
    observationId: Type.String({ format: 'uuid' }),
  },
  { $id: 'ObservationAcknowledgement' },
);
export type ObservationAcknowledgement = Static<typeof ObservationAcknowledgement>;

import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { Nullable, Time } from './parameters.js';

export const versionLimits = {
  /** Hours before and after a deployment that are compared. */
  comparedHours: 24,
  /** Fewer requests on one side say nothing of a change. */
  requestsMin: 100,
  newMessages: 10,
} as const;

export const VersionsParameters = Type.Object({
  service: Type.Optional(
    Type.String({
      description:
        'Name of the service. Written as in an event. The service with the newest deployment when missing.',
    }),
  ),
  environment: Type.Optional(
    Type.String({ description: 'Only versions in this environment; all of them when missing.' }),
  ),
  version: Type.Optional(
    Type.String({ description: 'The version to compare with the one before it; the newest when missing.' }),
  ),
});

const Ms = Nullable(Type.Number({ description: 'null when nothing was measured.' }));
const Environment = Nullable(Type.String({ description: 'null for none.' }));

const figures = {
  requests: Type.Integer({ minimum: 0 }),
  errors: Type.Integer({ minimum: 0, description: 'Status 500 and above.' }),
  failureRate: Nullable(Type.Number({ description: 'errors / requests, 0 to 1; null without requests.' })),
  averageMs: Ms,
  p50Ms: Ms,
  p95Ms: Ms,
  p99Ms: Ms,
};

/** The figures of one version over whole hours. */
export const VersionFigures = Type.Object({
  from: Time('Start of its first hour that counts.'),
  to: Time('End of its last hour that counts, or now.'),
  ratePerMinute: Type.Number({ description: 'Requests in this time, a minute.' }),
  ...figures,
});
export type VersionFigures = Static<typeof VersionFigures>;

const ListedVersion = Type.Object({
  version: Type.String(),
  environment: Environment,
  deploymentId: Type.String({ format: 'uuid' }),
  at: Time('When it came.'),
  announcedAt: Nullable(Time()),
  firstSeenAt: Nullable(Time()),
  url: Nullable(Type.String()),
  share: Nullable(
    Type.Number({
      description:
        'Its share of the requests of the service in this and the last hour, 0 to 1; null without requests.',
    }),
  ),
  ...figures,
});
export type ListedVersion = Static<typeof ListedVersion>;

/** Figures that a comparison may find changed. */
export const changeFigures = ['p95Ms', 'failureRate'] as const;

export const VersionChange = Type.Object({
  figure: Type.Enum([...changeFigures]),
  direction: Type.Enum(['up', 'down']),
  from: Type.Number({ description: 'Of the version before; milliseconds, or a share from 0 to 1.' }),
  to: Type.Number({ description: 'Of this version.' }),
  since: Nullable(
    Time(
      'When the figure of the service, in steps of five minutes, first stood nearer to that of this version than to that of the one before, for two steps; null when it did not within two hours.',
    ),
  ),
  minutesAfter: Nullable(Type.Integer({ minimum: 0, description: 'From `at` of this version to `since`.' })),
});
export type VersionChange = Static<typeof VersionChange>;

export const NewMessage = Type.Object({
  message: Type.String({ description: 'The newest of its group.' }),
  count: Type.Integer({ description: 'Stored messages of the group since the version came.' }),
  firstAt: Time(),
  endpoint: Type.String({ description: 'The endpoint with the most of them.' }),
});

const Comparison = Type.Object({
  version: Type.String(),
  environment: Environment,
  at: Time('When this version came.'),
  previous: Type.String({ description: 'The version before it in the same environment.' }),
  now: VersionFigures,
  before: VersionFigures,
  isThin: Type.Boolean({
    description: `Fewer than ${versionLimits.requestsMin} requests on one side: nothing is said to have changed.`,
  }),
  changes: Type.Array(VersionChange, {
    description:
      'Figures that differ clearly: a 95th percentile by a fifth and 5 ms, a failure rate by half and 0.5 percentage points. The largest first.',
  }),
  newMessages: Type.Array(NewMessage, {
    maxItems: versionLimits.newMessages,
    description: `Messages of the service since this version came that it did not have in the ${versionLimits.comparedHours} hours before.`,
  }),
});
export type Comparison = Static<typeof Comparison>;

/** The versions of a service, and the newest one beside the one before it. */
export const VersionsAnswer = Type.Object(
  {
    service: Nullable(Type.String({ description: 'null when none was asked for and nothing was deployed.' })),
    environment: Environment,
    versions: Type.Array(ListedVersion, {
      maxItems: limits.versionsPerService,
      description: `The newest ${limits.versionsPerService}, newest first, with their figures since ${versionLimits.comparedHours} hours ago.`,
    }),
    unversioned: Type.Integer({
      minimum: 0,
      description: `Requests of the service since ${versionLimits.comparedHours} hours ago that count for no version: their sender names none, or ${limits.versionsPerService} others report already.`,
    }),
    comparison: Nullable(Comparison),
  },
  { $id: 'VersionsAnswer' },
);
export type VersionsAnswer = Static<typeof VersionsAnswer>;

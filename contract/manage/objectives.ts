import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { Line } from '../line.js';
import { AlertSeverity, closed, nullable, ResourceSlug, Time } from './shared.js';

export const objectiveLimits = {
  perPage: 100,
  /** Objectives that a status page shows. */
  publicPerPage: 10,
  nameChars: 100,
  /** Decimals of a target: 99.99999 allows one failure in ten million requests. */
  targetDecimals: 5,
  windowDays: 90,
  /** Response times are counted in buckets, whose least bound this is. */
  underMsMin: 0.01,
  /** Deployments and incidents that a report marks, the newest first. */
  marks: 100,
  /** Endpoints, and days or hours, that a report names as those that spent most. */
  worst: 5,
} as const;

const calendars = ['month', 'quarter'] as const;

/** The time over which an objective is held: so many days up to now, or a month or quarter of the calendar. */
export const ObjectiveWindow = Type.Union(
  [
    closed({ days: Type.Integer({ minimum: 1, maximum: objectiveLimits.windowDays }) }),
    closed({ calendar: Type.Enum([...calendars]) }),
  ],
  {
    description:
      'So many days up to now, or the month or quarter of the calendar in the time zone of the page.',
  },
);
export type ObjectiveWindow = Static<typeof ObjectiveWindow>;

const RequestsSli = closed(
  {
    service: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.reporterIdChars,
        description: 'The name of a service or the id of a reporter; all of the page when absent.',
      }),
    ),
    endpoint: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.endpointChars, description: 'The path of a route.' }),
    ),
    method: Type.Optional(Type.String({ minLength: 1, maxLength: 20, description: 'An HTTP method.' })),
    underMs: Type.Optional(
      Type.Number({
        minimum: objectiveLimits.underMsMin,
        maximum: limits.latencyMsMax,
        description:
          'A good request takes at most so many milliseconds. Requests without a response time then count neither as good nor in the total. It moves to the nearest bound of the buckets in which response times are counted, which "underMsUsed" names.',
      }),
    ),
  },
  'A request is good when its status is below 500 and, with "underMs", it takes at most that long.',
);
export type RequestsSli = Static<typeof RequestsSli>;

const MonitorSli = closed(
  { slug: Type.String({ description: 'A monitor of the page, with which the objective is deleted.' }) },
  'Observed time is good while the monitor is up. Maintenance and pauses do not count.',
);

/** The measure of an objective: requests, or the observed time of a monitor. */
export const ObjectiveSli = Type.Union([closed({ requests: RequestsSli }), closed({ monitor: MonitorSli })]);
export type ObjectiveSli = Static<typeof ObjectiveSli>;

const name = Line('line', { charsMax: objectiveLimits.nameChars });
const target = Type.Number({
  exclusiveMinimum: 0,
  exclusiveMaximum: 100,
  description: `Percentage that has to be good, with at most ${objectiveLimits.targetDecimals} decimals.`,
});

const isPublic = Type.Boolean({
  description: `Whether the status page shows name, target and the last 12 months to everybody; at most ${objectiveLimits.publicPerPage} of a page.`,
});

/** A burn-rate alert that is ready to use: both windows have to burn faster than the factor. */
export const BurnPair = closed({
  severity: AlertSeverity,
  factor: Type.Number({ description: 'Budgets that are spent in one window of the objective at this rate.' }),
  longMinutes: Type.Integer(),
  shortMinutes: Type.Integer(),
});
export type BurnPair = Static<typeof BurnPair>;

/** An objective of a page. */
export const ManagedObjective = closed({
  slug: ResourceSlug,
  name: Type.String(),
  target,
  window: ObjectiveWindow,
  sli: ObjectiveSli,
  isPublic,
  underMsUsed: nullable(Type.Number({ description: 'The bound that "underMs" moved to; null without one.' })),
  burnPairs: Type.Array(BurnPair, { description: 'The alerts that fit the window, the most urgent first.' }),
  createdAt: Time,
  updatedAt: Time,
});
export type ManagedObjective = Static<typeof ManagedObjective>;

/** The body that creates or replaces an objective. */
export const PutObjective = closed({
  slug: Type.Optional(Type.String({ description: 'That of the path.' })),
  name,
  target,
  window: ObjectiveWindow,
  sli: ObjectiveSli,
  isPublic: Type.Optional(Type.Boolean({ ...isPublic, default: false })),
});
export type PutObjective = Static<typeof PutObjective>;

/** The body that changes an objective: fields that are absent stay. */
export const ChangeObjective = closed({
  name: Type.Optional(name),
  target: Type.Optional(target),
  window: Type.Optional(ObjectiveWindow),
  sli: Type.Optional(ObjectiveSli),
  isPublic: Type.Optional(isPublic),
});
export type ChangeObjective = Static<typeof ChangeObjective>;

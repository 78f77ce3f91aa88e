import Type, { type Static } from 'typebox';
import { analyticsLimits } from './limits.js';
import { asStored, Nullable, rangeNotes, rangeParameters, stepParameter, Time } from './parameters.js';

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

/** Whether a reporter still reports, worst first; this says nothing of what it reports. */
export const reportingStates = ['silent', 'late', 'clean', 'stopped', 'unknown'] as const;
export type Reporting = (typeof reportingStates)[number];

export const ReporterHealth = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: Type.Enum(['reporter', 'service']),
  state: Type.Enum([...reporterStates], {
    description: 'failing with an error in the window, otherwise by the age of the last report.',
  }),
  reporting: Type.Enum([...reportingStates], {
    description:
      'Whether it still reports, with errors or without. stopped: it has said goodbye. unknown: nothing says when it would report next, because it has neither promised an interval nor reported in five minutes, or began less than ten minutes ago.',
  }),
  thin: Type.Boolean({ description: `Fewer than ${analyticsLimits.thinRequests} requests in the window.` }),
  requests: Type.Integer(),
  errors: Type.Integer({ description: 'Status 500 and above.' }),
  failureRate: Nullable(Type.Number({ description: 'errors / requests, 0 to 1; null without requests.' })),
  lastReportAt: Nullable(Time()),
  ageSeconds: Nullable(Type.Integer({ description: 'Seconds since the last report.' })),
  expectedEverySeconds: Nullable(Type.Integer({ description: 'Interval that the reporter promises.' })),
  region: Nullable(Type.String()),
  team: Nullable(Type.String()),
  service: Type.Optional(
    Type.String({
      description:
        'Service that the reporter names. What it sends counts for the service: requests and errors here are those from before it named one.',
    }),
  ),
  instances: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Of a service: the reporters in this list that name it. Its last report is the newest of theirs, and it is as late as the least late of them.',
    }),
  ),
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

/** Which reporters to read, and how long a step is. */
export const CallsParameters = Type.Object({
  ...rangeParameters,
  step: stepParameter,
  reporter: Type.Optional(Type.String({ description: `Service name (v1) or reporter id (v2). ${asStored}` })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.callers,
      default: analyticsLimits.callersDefault,
      description: 'Most reporters.',
    }),
  ),
});

/** How often each service and reporter called, in each step of a range. */
export const CallsAnswer = Type.Object(
  {
    from: Time('The given time, moved back to a whole minute.'),
    to: Time('The given time, moved forward to a whole minute.'),
    step: Type.Integer({ description: 'Seconds per point.' }),
    ...rangeNotes,
    reporters: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.Enum(['reporter', 'service']),
        points: Type.Array(Nullable(Type.Integer()), {
          description:
            'Calls that arrived in each step, heartbeats included; 0 means none, and null that they are not kept.',
        }),
      }),
      { description: 'In the order of their ids.' },
    ),
    truncated: Type.Boolean({ description: 'Whether there are more reporters than the limit.' }),
  },
  { $id: 'CallsAnswer' },
);
export type CallsAnswer = Static<typeof CallsAnswer>;

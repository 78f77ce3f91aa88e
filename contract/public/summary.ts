import Type, { type Static } from 'typebox';

/** Limits of the public summary of a page. */
export const summaryLimits = {
  /** A representation that is older is built again at the next request. */
  freshSeconds: 30,
  /** An older representation is served up to this age while a new one cannot be built. */
  staleSeconds: 600,
} as const;

export const summaryIncludes = ['response-time', 'coverage', 'response-time,coverage'] as const;
export type SummaryInclude = (typeof summaryIncludes)[number];

export const freshnesses = ['fresh', 'stale', 'never', 'paused'] as const;
export type Freshness = (typeof freshnesses)[number];

export const knownStates = ['up', 'down', 'unknown', 'waiting'] as const;
export type KnownState = (typeof knownStates)[number];

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: 'date-time', description });
const Percentage = Type.String({
  pattern: '^(\\d{1,2}\\.\\d\\d%|100\\.00%|N/A)$',
  description:
    'Uptime in the observed time, cut to two decimals, so that 100.00% means all of it. N/A when nothing was observed.',
});
const AverageMs = Type.Integer({ minimum: 0, description: '0 when nothing was measured.' });
const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'Day in UTC.' });

export const SummaryParameters = Type.Object({
  include: Type.Optional(Type.Enum([...summaryIncludes], { description: 'Further fields of each service.' })),
});

export const ResponseTime = Type.Object(
  {
    windowDays: Type.Integer({
      minimum: 7,
      maximum: 90,
      description: 'Days of history that the page shows.',
    }),
    averageMs: Nullable(
      Type.Number({ description: 'Average of all measurements in the window; null without measurements.' }),
    ),
    points: Type.Array(Type.Object({ day: Day, averageMs: Type.Integer({ minimum: 0 }) }), {
      description: 'Days with measurements, oldest first.',
    }),
  },
  { $id: 'ResponseTime' },
);
export type ResponseTime = Static<typeof ResponseTime>;

export const Coverage = Type.Object(
  {
    observedSeconds: Type.Integer({ description: 'Observed time within the history that the page shows.' }),
    expectedSeconds: Type.Integer({
      description: 'Time in which the service should have been checked: since its creation, without pauses.',
    }),
    percent: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'Observed share of the expected time, cut to two decimals; null when no time was expected.',
      }),
    ),
    lastCheckedAt: Nullable(Time('null before the first check.')),
    ageSeconds: Nullable(Type.Integer({ minimum: 0, description: 'Age of the last check.' })),
    freshness: Type.Enum([...freshnesses], {
      description: '`fresh` when the last check is at most two intervals old.',
    }),
    state: Type.Enum([...knownStates], {
      description:
        'The last known state: `unknown` until a check has passed or enough have failed, `waiting` for a heartbeat before its first call.',
    }),
    stateSince: Nullable(
      Time('Since when the service is up or down as `state` says; null before that is known.'),
    ),
    since: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description:
        'First day of the history: the day of the creation or of the first imported observation, but not before the first day that the page shows.',
    }),
  },
  { $id: 'Coverage' },
);
export type Coverage = Static<typeof Coverage>;

const serviceFields = {
  name: Type.String({ description: "In the page's default language." }),
  url: Type.Literal('', { description: 'Always empty, because the probed URL is private.' }),
  icon: Type.String({ description: 'URL of the icon.' }),
  slug: Type.String(),
  status: Type.Enum(['up', 'down'], { description: 'The last known state.' }),
  uptime: Percentage,
  uptimeDay: Percentage,
  uptimeWeek: Percentage,
  uptimeMonth: Percentage,
  uptimeYear: Percentage,
  time: AverageMs,
  timeDay: AverageMs,
  timeWeek: AverageMs,
  timeMonth: AverageMs,
  timeYear: AverageMs,
  dailyMinutesDown: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
    description: 'By day in UTC; days without downtime are absent.',
  }),
};

export const Service = Type.Object(
  {
    ...serviceFields,
    names: Type.Record(Type.String(), Type.String(), { description: 'By language.' }),
    dailyHealth: Type.Record(
      Type.String(),
      Type.Object({
        rate: Type.Number({ minimum: 0, maximum: 100, description: 'Share of failed checks, in percent.' }),
      }),
      { description: 'By day in UTC; days without checks are absent.' },
    ),
    responseTime: Type.Optional(ResponseTime),
    coverage: Type.Optional(Coverage),
  },
  { $id: 'Service' },
);
export type Service = Static<typeof Service>;

export const Summary = Type.Object(
  {
    slug: Type.String(),
    lastChecked: Nullable(Time('null when nothing has been checked.')),
    monitoringPaused: Type.Boolean(),
    services: Type.Array(Service),
  },
  { $id: 'Summary' },
);
export type Summary = Static<typeof Summary>;

export const UpptimeSummary = Type.Array(
  Type.Object({
    ...serviceFields,
    showAverageResponseTime: Type.Optional(
      Type.Literal(false, {
        description: 'For a heartbeat alone, which has no response time: widgets leave it out then.',
      }),
    ),
  }),
  { $id: 'UpptimeSummary', description: 'The format of the widgets of Upptime.' },
);
export type UpptimeSummary = Static<typeof UpptimeSummary>;

import Type, { type Static } from 'typebox';

/** What a page publishes of its services. */
export const summaryLimits = {
  /** A representation is built again when it is older and asked for. */
  freshSeconds: 30,
  /** An older one goes on being served while none can be built. */
  staleSeconds: 600,
} as const;

export const summaryIncludes = ['response-time', 'coverage', 'response-time,coverage'] as const;
export type SummaryInclude = (typeof summaryIncludes)[number];

export const freshnesses = ['fresh', 'stale', 'never', 'paused'] as const;
export type Freshness = (typeof freshnesses)[number];

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: 'date-time', description });
const Percentage = Type.String({
  pattern: '^(\\d{1,2}\\.\\d\\d%|100\\.00%|N/A)$',
  description:
    'Up of the observed time: two decimals, cut, so that 100.00% is all of it; N/A when none was observed.',
});
const AverageMs = Type.Integer({ minimum: 0, description: '0 when nothing was measured.' });
const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'UTC.' });

export const SummaryParameters = Type.Object({
  include: Type.Optional(Type.Enum([...summaryIncludes])),
});

export const ResponseTime = Type.Object(
  {
    windowDays: Type.Integer({
      minimum: 7,
      maximum: 90,
      description: 'Days of history that the page shows.',
    }),
    averageMs: Nullable(
      Type.Number({ description: 'Of all measurements of the window; null when there are none.' }),
    ),
    points: Type.Array(Type.Object({ day: Day, averageMs: Type.Integer({ minimum: 0 }) }), {
      description: 'Days that measured something, oldest first.',
    }),
  },
  { $id: 'ResponseTime' },
);
export type ResponseTime = Static<typeof ResponseTime>;

export const Coverage = Type.Object(
  {
    observedSeconds: Type.Integer({ description: 'Within the history that the page shows.' }),
    expectedSeconds: Type.Integer({
      description: 'Time in which it was meant to be checked: since it exists, without pauses.',
    }),
    percent: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'Observed of the expected time, two decimals, cut; null when none was expected.',
      }),
    ),
    lastCheckedAt: Nullable(Time('null before the first check.')),
    ageSeconds: Nullable(Type.Integer({ minimum: 0, description: 'Of the last check.' })),
    freshness: Type.Enum([...freshnesses], {
      description: 'fresh: the last check is at most two intervals old.',
    }),
  },
  { $id: 'Coverage' },
);
export type Coverage = Static<typeof Coverage>;

const serviceFields = {
  name: Type.String({ description: "In the page's default language." }),
  url: Type.Literal('', { description: 'What is probed is private.' }),
  icon: Type.String({ description: 'URL.' }),
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
    description: 'By day, UTC; days without downtime are absent.',
  }),
};

export const Service = Type.Object(
  {
    ...serviceFields,
    names: Type.Record(Type.String(), Type.String(), { description: 'By language.' }),
    dailyHealth: Type.Record(
      Type.String(),
      Type.Object({
        rate: Type.Number({ minimum: 0, maximum: 100, description: 'Failed checks, in percent.' }),
      }),
      { description: 'By day, UTC; days without checks are absent.' },
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

export const UpptimeSummary = Type.Array(Type.Object(serviceFields), {
  $id: 'UpptimeSummary',
  description: "The form that Upptime's widgets read.",
});
export type UpptimeSummary = Static<typeof UpptimeSummary>;

import Type, { type Static } from 'typebox';

export const responseRanges = ['24h', '7d', '30d', '90d'] as const;
export type ResponseRange = (typeof responseRanges)[number];

/** The range of a request that names none. */
export const usualResponseRange: ResponseRange = '24h';

const Time = (description: string) => Type.String({ format: 'date-time', description });
const Milliseconds = Type.Number({ minimum: 0, description: 'In tenths below 10, otherwise whole.' });
const Figure = (description: string) => Type.Union([Milliseconds, Type.Null()], { description });
const Series = (description: string) =>
  Type.Array(Type.Union([Milliseconds, Type.Null()]), {
    description: `${description} One for each step, oldest first; empty when nothing was measured in the range.`,
  });

export const ResponseTimesParameters = Type.Object({
  range: Type.Optional(
    Type.Enum([...responseRanges], { default: usualResponseRange, description: 'Time up to now.' }),
  ),
});

export const ServiceResponseTimes = Type.Object(
  {
    slug: Type.String(),
    averageMs: Figure('Average of all measurements in the range; null without measurements.'),
    p95Ms: Figure(
      'The 95th percentile of all measurements in the range, off by at most 0.79 %; null where it is not known.',
    ),
    points: Type.Object({
      averageMs: Series('Averages; null for a step without measurements.'),
      p95Ms: Series('95th percentiles; null where they are not known.'),
    }),
  },
  { $id: 'ServiceResponseTimes' },
);
export type ServiceResponseTimes = Static<typeof ServiceResponseTimes>;

export const ResponseTimes = Type.Object(
  {
    slug: Type.String(),
    range: Type.Enum([...responseRanges]),
    from: Time('Start of the first step. Later than the range says when the page shows less.'),
    to: Time('End of the last step, which is still filling.'),
    stepSeconds: Type.Integer({ description: '3600 for 24h and 7d, 86400 for 30d and 90d.' }),
    unfinishedFrom: Type.Union([Time('Start of the last step, whose figures still grow.'), Type.Null()], {
      description: 'null for a page that shows no step yet.',
    }),
    services: Type.Array(ServiceResponseTimes),
  },
  { $id: 'ResponseTimes' },
);
export type ResponseTimes = Static<typeof ResponseTimes>;

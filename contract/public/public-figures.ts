import Type, { type Static } from 'typebox';

/** Limits of the figures that a page publishes. */
export const figureLimits = {
  figures: 6,
  titleChars: 60,
  /** A step with fewer requests has no point: its figures would say something about single requests. */
  requestsMin: 100,
} as const;

/** The values of its requests that a figure can show. */
export const figureKinds = ['p95', 'requests', 'successRate'] as const;
export type FigureKind = (typeof figureKinds)[number];

export const figureWindows = ['24h', '7d', '14d'] as const;
export type FigureWindow = (typeof figureWindows)[number];

const Window = Type.Enum([...figureWindows], { description: 'The time up to the last completed step.' });

/** A figure as the settings of a page have it. */
export type FigureSetting = {
  /** In the default language of the page. */
  title: string;
  /** Name of a service, or id of a reporter. */
  service: string;
  /** null for all endpoints of the service. */
  endpoint: string | null;
  /** In their usual order, each once. */
  shows: FigureKind[];
  window: FigureWindow;
};

/** The fields of a figure beside its title, as requests have them. */
export const figureFields = {
  service: Type.String({
    ...{ minLength: 1, maxLength: 200 },
    description: 'Name of a service, or id of a reporter. It is not published.',
  }),
  shows: Type.Array(Type.Enum([...figureKinds]), {
    ...{ minItems: 1, maxItems: figureKinds.length, uniqueItems: true },
    description:
      'The 95th percentile of response times, the number of requests, and the share without a server error.',
  }),
  window: Window,
};

const Series = (schema: Type.TNumber | Type.TInteger, description: string) =>
  Type.Optional(
    Type.Array(Type.Union([schema, Type.Null()]), {
      description: `${description}, one value for each step, oldest first; null for a step with fewer than ${figureLimits.requestsMin} requests.`,
    }),
  );

/** A figure as everybody may read it: it names neither the service nor the endpoint. */
export const PublicFigure = Type.Object(
  {
    title: Type.String({ description: "In the page's default language." }),
    window: Window,
    from: Type.String({ format: 'date-time', description: 'Start of the first step.' }),
    to: Type.String({ format: 'date-time', description: 'End of the last step, which is completed.' }),
    stepSeconds: Type.Integer({
      description: 'An hour, six or twelve; longer when too few requests come in that time.',
    }),
    p95Ms: Series(
      Type.Number({ minimum: 0 }),
      'The 95th percentile of the response times in milliseconds, rounded to two digits',
    ),
    requests: Series(Type.Integer({ minimum: 0 }), 'The number of requests, rounded to two digits'),
    successRate: Series(
      Type.Number({ minimum: 0, maximum: 100 }),
      'The percentage without a server error, its difference to 100 rounded to two digits; 100 means none',
    ),
  },
  { $id: 'PublicFigure' },
);
export type PublicFigure = Static<typeof PublicFigure>;

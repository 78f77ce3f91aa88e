import Type from 'typebox';
import { analyticsLimits } from './limits.js';

/** A value, or null. */
export const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const Time = (description?: string) =>
  Type.String({ format: 'date-time', ...(description !== undefined && { description }) });

/** Fields of every answer with figures about those that are no longer kept. */
export const keptNotes = {
  keptFrom: Nullable(
    Time(
      'From when on figures are kept, where the answer is asked for older ones, which are null; null when it has all.',
    ),
  ),
  notKept: Nullable(Type.String({ description: 'Why figures are null, in a sentence; null when none is.' })),
} as const;

/** Fields of every answer with steps about those that are not kept, and about the running one. */
export const rangeNotes = {
  ...keptNotes,
  unfinishedFrom: Nullable(
    Time('Start of the step that is not over, whose figures still grow; null when each step is over.'),
  ),
} as const;

/** A count, which is null in a step or range that begins before figures are kept. */
export const KeptCount = (description = '') =>
  Nullable(
    Type.Integer({ minimum: 0, description: `${description} null where figures are not kept.`.trim() }),
  );

/** How a time is given. */
export const timeForms = 'a time with a zone, a date (UTC), or now, now-30m, now-6h, now-7d';

/** Parameters of every route that reads a range. */
export const rangeParameters = {
  from: Type.Optional(
    Type.String({
      description: `Inclusive: ${timeForms}. A date is the start of that day. An hour before \`to\` when missing.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: `Exclusive: ${timeForms}. A date is the end of that day. Now when missing.`,
    }),
  ),
} as const;

export const stepParameter = Type.Optional(
  Type.Integer({
    minimum: analyticsLimits.stepSecondsMin,
    multipleOf: analyticsLimits.stepSecondsMin,
    description: `Seconds per point; chosen for at most 120 points when missing. A range has at most ${analyticsLimits.pointsPerSeries} points.`,
  }),
);

/** Ends the description of a name. */
export const asStored = 'Written as in an event; normalised in the same way.';
export const service = Type.Optional(
  Type.String({ description: `Service name (v1) or reporter id (v2). ${asStored}` }),
);
export const endpoint = Type.Optional(Type.String({ description: `Route template. ${asStored}` }));

export const groupings = ['service', 'endpoint', 'method', 'status'] as const;
export type Grouping = (typeof groupings)[number];

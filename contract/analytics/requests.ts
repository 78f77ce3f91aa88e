import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { analyticsLimits } from './limits.js';
import {
  asStored,
  endpoint,
  groupings,
  KeptCount,
  Nullable,
  rangeNotes,
  rangeParameters,
  service,
  stepParameter,
  Time,
} from './parameters.js';

const Ms = Nullable(Type.Number({ description: 'null when nothing was measured.' }));

export const RequestsParameters = Type.Object({
  ...rangeParameters,
  step: stepParameter,
  service,
  endpoint,
  method: Type.Optional(Type.String({ description: `HTTP method. ${asStored}` })),
  status: Type.Optional(
    Type.Integer({ minimum: limits.statusMin, maximum: limits.statusMax, description: 'HTTP status.' }),
  ),
  groupBy: Type.Optional(
    Type.Enum([...groupings], { description: 'One series for each value; one of everything when missing.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.series,
      default: analyticsLimits.seriesDefault,
      description: 'Most series.',
    }),
  ),
});

export const RequestsPoint = Type.Object({
  at: Time('Start of the step; steps are counted from 1970-01-01T00:00:00Z.'),
  count: KeptCount(),
  errors: KeptCount('Status 500 and above.'),
  clientErrors: KeptCount('Status 400 to 499.'),
  averageMs: Ms,
  p50Ms: Ms,
  p95Ms: Ms,
  p99Ms: Ms,
});
export type RequestsPoint = Static<typeof RequestsPoint>;

export const RequestsAnswer = Type.Object(
  {
    from: Time('The given time, moved back to a whole minute.'),
    to: Time('The given time, moved forward to a whole minute.'),
    step: Type.Integer(),
    ...rangeNotes,
    groupBy: Nullable(Type.Enum([...groupings])),
    series: Type.Array(
      Type.Object({
        group: Type.Union([Type.String(), Type.Integer(), Type.Null()]),
        points: Type.Array(RequestsPoint),
      }),
      { description: 'Largest count first.' },
    ),
    truncated: Type.Boolean({ description: 'Whether there are more groups than the limit.' }),
  },
  { $id: 'RequestsAnswer' },
);
export type RequestsAnswer = Static<typeof RequestsAnswer>;

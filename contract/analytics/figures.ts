import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import {
  asStored,
  endpoint,
  groupings,
  KeptCount,
  keptNotes,
  Nullable,
  rangeNotes,
  rangeParameters,
  service,
} from './parameters.js';

/** Limits of the parameters of totals and of the largest groups. */
export const figureLimits = {
  groupsDefault: 50,
  groups: 200,
  /** Points of one sparkline. */
  points: 60,
  searchLengthMax: 200,
} as const;

const Ms = Nullable(Type.Number({ description: 'Milliseconds; null when nothing was measured.' }));

const filters = {
  service,
  endpoint,
  method: Type.Optional(Type.String({ description: `HTTP method. ${asStored}` })),
  status: Type.Optional(
    Type.Integer({ minimum: limits.statusMin, maximum: limits.statusMax, description: 'HTTP status.' }),
  ),
} as const;
const compare = Type.Optional(
  Type.Enum(['previous'], {
    description: 'Adds the same figures for the period of the same length right before.',
  }),
);

/** Which requests count, and whether with the period before. */
export const TotalsParameters = Type.Object({ ...rangeParameters, ...filters, compare });

/** Figures of all requests of a range. All are null where the range begins before figures are kept. */
export const Totals = Type.Object({
  requests: KeptCount(),
  errors: KeptCount('Status 500 and above.'),
  clientErrors: KeptCount('Status 400 to 499.'),
  errorShare: Nullable(Type.Number({ description: 'errors / requests, 0 to 1; null without requests.' })),
  requestsPerSecond: Nullable(
    Type.Number({ description: 'Average over the range; null where figures are not kept.' }),
  ),
  averageMs: Ms,
  p50Ms: Ms,
  p95Ms: Ms,
  p99Ms: Ms,
});
export type Totals = Static<typeof Totals>;

const previous = Type.Union([Totals, Type.Null()], {
  description:
    'The period of the same length right before; null when it is not asked for, and when it begins before rows are kept.',
});
const from = Type.String({
  format: 'date-time',
  description: 'The given time, moved back to a whole minute; to a whole hour in a range of a day or more.',
});
const to = Type.String({
  format: 'date-time',
  description:
    'The given time, moved forward to a whole minute; to a whole hour in a range of a day or more.',
});

/** The figures of a range, and of the period before if asked for. */
export const TotalsAnswer = Type.Object(
  { from, to, ...keptNotes, now: Totals, previous },
  { $id: 'TotalsAnswer' },
);
export type TotalsAnswer = Static<typeof TotalsAnswer>;

/** The figures that groups are ordered by, largest first. */
export const orders = ['requests', 'errors', 'errorShare', 'p95'] as const;
export type Order = (typeof orders)[number];

/** The dimension of the groups, their order, and the filters of the requests. */
export const TopParameters = Type.Object({
  by: Type.Optional(
    Type.Enum([...groupings], {
      default: 'endpoint',
      description: 'What makes a group. `endpoint` makes one of each service and endpoint.',
    }),
  ),
  order: Type.Optional(
    Type.Enum([...orders], {
      default: 'requests',
      description:
        'Largest first; then the one with more requests, under p95 the one whose name comes first. Groups without response times are last under p95.',
    }),
  ),
  ...rangeParameters,
  ...filters,
  search: Type.Optional(
    Type.String({
      maxLength: figureLimits.searchLengthMax,
      description:
        'A part of the name of the service or of the endpoint, in upper or lower case; of the endpoint alone with `service`.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: figureLimits.groups,
      default: figureLimits.groupsDefault,
      description: 'Most rows.',
    }),
  ),
  compare,
  points: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: figureLimits.points,
      default: 0,
      description: 'Most points of a sparkline; 0 for no sparklines.',
    }),
  ),
});

/** A group with its figures; of service, endpoint, method and status those are null that do not make the group. */
export const TopRow = Type.Object({
  service: Nullable(Type.String({ description: 'Service name or reporter id.' })),
  endpoint: Nullable(Type.String()),
  method: Nullable(Type.String()),
  status: Nullable(Type.Integer()),
  now: Totals,
  previous,
  sparkline: Type.Union(
    [Type.Object({ requests: Type.Array(KeptCount()), errors: Type.Array(KeptCount()) }), Type.Null()],
    { description: 'One value for each step of the range, oldest first; null without `points`.' },
  ),
});
export type TopRow = Static<typeof TopRow>;

/** The largest groups of a range. */
export const TopAnswer = Type.Object(
  {
    from,
    to,
    by: Type.Enum([...groupings]),
    order: Type.Enum([...orders]),
    step: Nullable(
      Type.Integer({
        description:
          'Seconds per point of the sparklines; steps are counted from 1970-01-01T00:00:00Z. null without sparklines.',
      }),
    ),
    ...rangeNotes,
    groups: KeptCount('How many groups there are, shown or not.'),
    truncated: Type.Boolean({ description: 'Whether there are more groups than the limit.' }),
    rows: Type.Array(TopRow, { description: 'Largest first, by what is kept of them.' }),
  },
  { $id: 'TopAnswer' },
);
export type TopAnswer = Static<typeof TopAnswer>;

import Type, { type Static } from 'typebox';

/** Months of an objective that the status page shows, the running one included. */
export const objectiveMonths = 12;

const PublicMonth = Type.Object({
  month: Type.String({
    pattern: '^\\d{4}-\\d{2}$',
    examples: ['2026-01'],
    description: 'By the clock of the page.',
  }),
  percent: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()], {
    description:
      'The percentage that was good, cut to the decimals of the target and to two at least; null for a month that is not kept, in which nothing was measured, or which had fewer than 100 requests.',
  }),
  isMet: Type.Union([Type.Boolean(), Type.Null()], { description: 'null where `percent` is null.' }),
});
export type PublicMonth = Static<typeof PublicMonth>;

/** An objective as everybody may read it: it names neither a service nor an endpoint. */
export const PublicObjective = Type.Object(
  {
    name: Type.String({ description: "In the page's default language." }),
    target: Type.Number({ description: 'The percentage that has to be good.' }),
    unit: Type.Enum(['requests', 'time'], { description: 'Whether requests count, or the observed time.' }),
    months: Type.Union([Type.Array(PublicMonth), Type.Null()], {
      description: `The last ${objectiveMonths} months, oldest first; the last one still runs. null while they cannot be read.`,
    }),
  },
  { $id: 'PublicObjective' },
);
export type PublicObjective = Static<typeof PublicObjective>;

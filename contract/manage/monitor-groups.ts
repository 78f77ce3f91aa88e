import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { closed, nullable, Time } from './shared.js';

export const monitorGroupsMax = 100;

const Names = Type.Record(Type.String(), Type.String(), {
  description: 'Names in other languages of the page, by language.',
});

const SentNames = Type.Record(Type.String(), Line('markedLineOrNothing'), {
  description: 'Names in other languages of the page, by language.',
});

/** A group, under whose name the page shows monitors. */
export const MonitorGroup = closed({
  slug: Type.String(),
  name: Type.String({ description: 'In the default language of the page.' }),
  names: Names,
  collapsed: Type.Boolean({
    description: 'Whether the page shows it closed while all of its services are operational.',
  }),
  position: Type.Integer({ description: 'Place among the groups of the page, from 0.' }),
  createdAt: Time,
});
export type MonitorGroup = Static<typeof MonitorGroup>;

/** The body that creates or replaces a group. */
export const PutMonitorGroup = closed({
  name: Line('markedLine', {
    description: '1 to 200 characters on one line, in the default language of the page.',
  }),
  names: Type.Optional(nullable(SentNames)),
  collapsed: Type.Optional(
    nullable(
      Type.Boolean({
        description:
          'Whether the page shows it closed while all of its services are operational; false by default.',
      }),
    ),
  ),
});
export type PutMonitorGroup = Static<typeof PutMonitorGroup>;

/** The order in which the page shows its groups, and the monitors of each. */
export const MonitorOrder = closed({
  items: Type.Array(
    closed({
      group: nullable(Type.String({ description: 'Slug of a group; null for the monitors without one.' })),
      monitors: Type.Array(Type.String(), { description: 'Slugs, in order.' }),
    }),
    {
      description:
        'The monitors without a group come first. Every group and every monitor of the page is there once.',
    },
  ),
});
export type MonitorOrder = Static<typeof MonitorOrder>;

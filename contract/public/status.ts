import Type, { type Static } from 'typebox';
import { incidentTypes, maintenanceStates } from '../incidents.js';
import { PublicFigure } from './public-figures.js';
import { PublicObjective } from './public-objectives.js';
import { declaredStates, impacts, serviceStates } from './service-states.js';

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: 'date-time', description });
const Texts = Type.Record(Type.String(), Type.String(), { description: 'By language.' });
const State = (description: string) => Type.Enum([...serviceStates], { description });
const Uptime = Type.String({
  pattern: '^(\\d{1,2}\\.\\d\\d%|100\\.00%|N/A)$',
  description: 'In the history that the page shows, of the observed time, cut to two decimals.',
});

const StatusReason = Type.Object(
  {
    type: Type.Enum(['monitor', 'incident', 'maintenance']),
    id: Nullable(Type.String({ description: 'Of the incident or the maintenance; null for `monitor`.' })),
    title: Nullable(Texts),
  },
  { description: 'What says that the service is in its state.' },
);

const StatusService = Type.Object({
  slug: Type.String(),
  name: Type.String({ description: "In the page's default language." }),
  names: Texts,
  descriptions: Type.Record(Type.String(), Type.String(), {
    description: 'For visitors, by language; empty when the service has none.',
  }),
  link: Nullable(Type.String({ description: 'Where visitors find the service.' })),
  group: Nullable(Type.String({ description: 'Slug of its group; null for a service of none.' })),
  state: State('The worse of what the monitor sees, or running maintenance, and what open incidents say.'),
  reason: StatusReason,
  degradedSince: Nullable(Time('Since when it answers too slowly; null while it does not.')),
  uptime: Uptime,
});

const StatusGroup = Type.Object({
  slug: Type.String(),
  name: Type.String({ description: "In the page's default language." }),
  names: Type.Record(Type.String(), Type.String(), {
    description: 'By language; languages without a name of their own are absent.',
  }),
  collapsed: Type.Boolean({
    description: 'Whether the page shows it closed while nothing is wrong with its services.',
  }),
  state: State('The worst state of its services; `partial_outage` where one is down and another is not.'),
  uptime: Uptime,
  services: Type.Array(Type.String(), { description: 'Slugs, in order.' }),
});

const StatusIncident = Type.Object({
  id: Type.String(),
  type: Type.Enum([...incidentTypes]),
  title: Texts,
  impact: Nullable(Type.Enum([...impacts], { description: 'null when nobody has said it.' })),
  services: Type.Array(Type.String(), { description: 'Slugs of the affected services.' }),
  serviceStates: Type.Record(Type.String(), Type.Enum([...declaredStates]), {
    description: 'What it says of affected services, by slug.',
  }),
  startedAt: Time('When it began, or begins.'),
  maintenanceState: Nullable(Type.Enum([...maintenanceStates], { description: 'null for an incident.' })),
});

/** The state of a page and of everything on it. */
export const PublicStatus = Type.Object(
  {
    slug: Type.String(),
    name: Type.String({ description: 'Name of the page.' }),
    state: State(
      'The worst state of its services. While an incident about none of them is open, at least `degraded`.',
    ),
    lastChecked: Nullable(Time('null when nothing has been checked.')),
    groups: Type.Array(StatusGroup, { description: 'Groups that have services, in order.' }),
    services: Type.Array(StatusService, { description: 'In the order of the page.' }),
    incidents: Type.Array(StatusIncident, {
      description: 'Open incidents, and maintenance that is not over, newest first.',
    }),
    objectives: Type.Array(PublicObjective, {
      description: 'The objectives that the page shows, in the order of their slugs.',
    }),
    figures: Nullable(
      Type.Array(PublicFigure, {
        description: 'The figures of requests that the page publishes; null while they cannot be read.',
      }),
    ),
  },
  { $id: 'PublicStatus' },
);
export type PublicStatus = Static<typeof PublicStatus>;

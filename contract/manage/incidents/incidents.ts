import Type, { type Static } from 'typebox';
import {
  AppendUpdate,
  ChangeIncident,
  CreateIncident,
  incidentLimits,
  incidentTypes,
  maintenanceStates,
  updateStatuses,
} from '../../incidents.js';
import { Line } from '../../line.js';
import { declaredStates, impacts } from '../../public/service-states.js';
import { actorFields } from '../actor.js';
import { closed, Id, nullable, Time } from '../shared.js';

export const incidentStates = ['open', 'resolved', 'scheduled'] as const;
/** Whether an incident has an end, or is maintenance that is yet to begin. */
export type IncidentState = (typeof incidentStates)[number];

export const Author = nullable(closed(actorFields, 'null for what was written before this was kept.'));
export type Author = Static<typeof Author>;

const head = {
  id: Id,
  type: Type.Enum([...incidentTypes]),
  state: Type.Enum([...incidentStates], {
    description: 'resolved with an end, scheduled for maintenance that is yet to begin, otherwise open.',
  }),
  title: Type.String({ description: "In the page's default language." }),
  monitorSlugs: Type.Array(Type.String()),
  impact: nullable(Type.Enum([...impacts], { description: 'null when nobody has said it.' })),
  serviceStates: Type.Record(Type.String(), Type.Enum([...declaredStates]), {
    description: 'What it says of its services, by slug.',
  }),
  startedAt: Time,
  resolvedAt: nullable(Time),
  scheduledEndAt: nullable(Time),
  maintenanceState: nullable(Type.Enum([...maintenanceStates])),
  publishedAt: Time,
  author: Author,
};

/** An incident in a list: without its summary, its timeline and its texts in other languages. */
export const ListedIncident = closed({ ...head, updateCount: Type.Integer() });
export type ListedIncident = Static<typeof ListedIncident>;

const updateHead = {
  id: Id,
  status: Type.Enum([...updateStatuses]),
  body: Type.String({ description: "In the page's default language; Markdown." }),
  author: Author,
  createdAt: Time,
  correctedAt: nullable(Time),
};
const ManagedUpdate = closed(updateHead);
export type ManagedUpdate = Static<typeof ManagedUpdate>;

const translated = nullable(
  Type.Enum(['machine', 'person'], {
    description: 'Who translated the text; null for the language in which it was written.',
  }),
);
const Text = closed({ text: Type.String(), translated });

const Texts = closed({
  title: nullable(Text),
  summary: nullable(Text),
  updates: Type.Array(closed({ id: Id, body: Text.properties.text, translated }), {
    description: 'Those that exist in the language.',
  }),
});
export type TextsOfLanguage = Static<typeof Texts>;

const counts = closed({
  pending: Type.Integer(),
  delivered: Type.Integer(),
  parked: Type.Integer({ description: 'Failed for good.' }),
});

const { ledgerTextBytesInAll } = incidentLimits;

export const ManagedIncident = closed({
  ...head,
  summary: Type.String({ description: "In the page's default language; Markdown." }),
  revision: Type.Integer({
    description:
      'Counts the changes of the incident, its timeline and the texts that people have translated.',
  }),
  updates: Type.Array(ManagedUpdate, { description: 'Oldest first.' }),
  texts: Type.Record(Type.String(), Texts, {
    description: `By language of the page; null is a text without a translation. When the texts take more than ${ledgerTextBytesInAll / 1e6} MB in all languages, the default language alone is there; the parameter language adds another one.`,
  }),
  hasPostmortem: Type.Boolean(),
  notifications: closed(
    { emails: counts, webhookDeliveries: counts },
    'What announced the incident and its changes, for 30 days after it ended.',
  ),
});
export type ManagedIncident = Static<typeof ManagedIncident>;

const monitorSlugs = Type.Array(Type.String(), {
  maxItems: incidentLimits.monitorSlugs,
  description: 'Slugs of monitors of the page; any other is refused.',
});

const title = Line('title', { charsMax: incidentLimits.titleChars });
const text = Type.String({ minLength: 1, maxLength: incidentLimits.textChars, description: 'Markdown.' });

const translations = <Props extends Type.TProperties>(properties: Props) =>
  Type.Optional(
    Type.Record(Type.String(), closed(properties), {
      description:
        'Translations by people, by language of the page besides its default one. They are there before anything is announced, and the machine translates the rest.',
    }),
  );

export const CreateManagedIncident = closed({
  ...CreateIncident.properties,
  notify: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'false publishes it without email and webhook; the page and its feeds show it. Later changes, and the start and end of maintenance, are announced as usual.',
    }),
  ),
  monitorSlugs: Type.Optional(monitorSlugs),
  startedAt: Type.Optional(Type.String({ description: 'ISO-8601; now when absent.' })),
  update: Type.Optional(
    closed(
      {
        status: Type.Enum(['investigating', 'identified', 'monitoring']),
        body: AppendUpdate.properties.body,
      },
      'A first update, which the announcement of the incident has.',
    ),
  ),
  texts: translations({
    title: Type.Optional(title),
    summary: Type.Optional(text),
    body: Type.Optional({ ...text, description: 'Of the first update; Markdown.' }),
  }),
});

export const ChangeManagedIncident = closed({
  ...ChangeIncident.properties,
  monitorSlugs: Type.Optional(monitorSlugs),
});

export const AppendManagedUpdate = closed({
  ...AppendUpdate.properties,
  texts: translations({ body: text }),
});

export const AppendedManagedUpdate = closed({
  ...updateHead,
  incidentId: Id,
  notify: Type.Boolean({ description: 'The value that was applied.' }),
  resolvedIncident: Type.Boolean({ description: 'Whether this update closed an open incident.' }),
});

const notify = Type.Optional(
  Type.Boolean({ default: false, description: 'true announces the correction by email and webhook.' }),
);

export const CorrectUpdate = closed({
  body: Type.Optional(AppendUpdate.properties.body),
  status: Type.Optional(
    Type.Enum([...updateStatuses], {
      description: 'The status of this update only: resolved does not resolve the incident.',
    }),
  ),
  notify,
});

export const SetIncidentTexts = closed(
  {
    title: Type.Optional(title),
    summary: Type.Optional(text),
    updates: Type.Optional(Type.Array(closed({ id: Id, body: text }), { maxItems: incidentLimits.updates })),
    notify,
  },
  'Texts in one language; those that are absent stay as they are.',
);

import Type, { type Static } from 'typebox';
import { withCommas } from './limits.js';
import { Line } from './line.js';
import { declaredStates, impacts, stateOfImpact } from './public/service-states.js';

/** Limits of incidents. Characters are UTF-16 code units. */
export const incidentLimits = {
  titleChars: 300,
  textChars: 20_000,
  monitorSlugs: 1_000,
  bodyBytes: 256 * 1024,
  requestsPerMinute: 60,
  /** Updates of an incident. The last one must resolve it. */
  updates: 200,
  /**
   * UTF-8 bytes of title, summary and updates together, and 64 for each attached service. The update that resolves the
   * incident may exceed them, once.
   */
  entryBytes: 200_000,
  /** Open incidents and maintenance of a page, without those that its monitors and alert rule have open. */
  openPerPage: 100,
  /** The same of all open incidents and maintenance of a page. */
  openBytesPerPage: 2_000_000,
  /** Newest resolved incidents in the public ledger, which shows every open one. */
  ledgerResolved: 500,
  /** Text of the public ledger in the default language of a page, in bytes of UTF-8. */
  ledgerTextBytes: 2_000_000,
  /** The same, counted once for each language of the page; also of the texts in the body of a webhook. */
  ledgerTextBytesInAll: 4_000_000,
} as const;

export const incidentTypes = ['incident', 'maintenance'] as const;
export type IncidentType = (typeof incidentTypes)[number];

export const updateStatuses = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type UpdateStatus = (typeof updateStatuses)[number];

export const maintenanceStates = ['scheduled', 'in_progress', 'completed'] as const;
export type MaintenanceState = (typeof maintenanceStates)[number];

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description?: string) =>
  Type.String({ format: 'date-time', ...(description !== undefined && { description }) });
/** A time in a request. Any form of ISO-8601 is accepted, including those outside the published `date-time` format. */
const SentTime = (description = 'ISO-8601.') => Type.String({ description });
/** Language tag to text. */
const Texts = Type.Record(Type.String(), Type.String());

const markdownDescription = "In the page's default language; Markdown.";

const title = Line('title', {
  charsMax: incidentLimits.titleChars,
  description: "In the page's default language.",
});
const summary = Type.String({
  minLength: 1,
  maxLength: incidentLimits.textChars,
  description: markdownDescription,
});
const type = Type.Enum([...incidentTypes], { default: 'incident' });
const monitorSlugs = Type.Array(Type.String(), {
  maxItems: incidentLimits.monitorSlugs,
  description: 'Slugs without a monitor of the page are ignored.',
});
const scheduledEndAt = Nullable(SentTime('Planned end of a maintenance; ignored for an incident.'));
const impact = Nullable(
  Type.Enum([...impacts], {
    description: `How bad it is; null when nobody says. Services that \`serviceStates\` does not name are then ${impacts
      .map((one) => `${stateOfImpact[one]} with ${one}`)
      .join(', ')}. Maintenance has none.`,
  }),
);
const serviceStates = Type.Record(Type.String(), Type.Enum([...declaredStates]), {
  description:
    'State by slug of an affected service. The page shows the worse of it and what the monitor sees. Maintenance has none.',
});
const notify = Type.Boolean({
  default: true,
  description: 'false sends no email and no webhook. Texts are translated in either case.',
});

const { updates, entryBytes, openPerPage, openBytesPerPage } = incidentLimits;

export const CreateIncident = Type.Object(
  {
    type: Type.Optional(type),
    title,
    summary,
    monitorSlugs: Type.Optional(monitorSlugs),
    impact: Type.Optional(impact),
    serviceStates: Type.Optional(serviceStates),
    startedAt: SentTime(),
    resolvedAt: Type.Optional(Nullable(SentTime('Set for an incident that has ended already.'))),
    scheduledEndAt: Type.Optional(scheduledEndAt),
  },
  {
    $id: 'CreateIncident',
    description: `A page has at most ${openPerPage} open incidents and maintenance, with ${withCommas(openBytesPerPage)} bytes of text in all; a service counts as 64.`,
  },
);
export type CreateIncident = Static<typeof CreateIncident>;

export const ChangeIncident = Type.Object(
  {
    type: Type.Optional(Type.Enum([...incidentTypes])),
    title: Type.Optional(title),
    summary: Type.Optional(summary),
    monitorSlugs: Type.Optional(monitorSlugs),
    impact: Type.Optional(impact),
    serviceStates: Type.Optional(serviceStates),
    startedAt: Type.Optional(SentTime()),
    resolvedAt: Type.Optional(Nullable(SentTime('A time resolves the incident; null reopens it.'))),
    scheduledEndAt: Type.Optional(scheduledEndAt),
    notify: Type.Optional(notify),
  },
  { $id: 'ChangeIncident', description: 'Changes the fields that are present.' },
);
export type ChangeIncident = Static<typeof ChangeIncident>;

export const AppendUpdate = Type.Object(
  {
    body: Type.String({
      minLength: 1,
      maxLength: incidentLimits.textChars,
      description: markdownDescription,
    }),
    status: Type.Optional(Type.Enum([...updateStatuses], { default: 'investigating' })),
    notify: Type.Optional(notify),
  },
  {
    $id: 'AppendUpdate',
    description: `An incident has at most ${updates} updates, of which the last one resolves it, and ${withCommas(entryBytes)} bytes of text; a service counts as 64.`,
  },
);
export type AppendUpdate = Static<typeof AppendUpdate>;

/** Only there when somebody has said it. */
const said = {
  impact: Type.Optional(Type.Enum([...impacts])),
  serviceStates: Type.Optional(
    Type.Record(Type.String(), Type.Enum([...declaredStates]), { description: 'By slug.' }),
  ),
};

const incidentFields = {
  id: Type.String(),
  type: Type.Enum([...incidentTypes]),
  title: Type.String(),
  summary: Type.String(),
  monitorSlugs: Type.Array(Type.String()),
  ...said,
  startedAt: Time(),
  resolvedAt: Nullable(Time('null while open')),
};

export const Incident = Type.Object(incidentFields, { $id: 'Incident' });
export type Incident = Static<typeof Incident>;

export const ChangedIncident = Type.Object(
  { ...incidentFields, notify: Type.Boolean({ description: 'The value that was applied.' }) },
  { $id: 'ChangedIncident' },
);
export type ChangedIncident = Static<typeof ChangedIncident>;

export const IncidentUpdate = Type.Object(
  {
    id: Type.String(),
    incidentId: Type.String(),
    status: Type.Enum([...updateStatuses]),
    body: Type.String(),
    notify: Type.Boolean(),
    resolvedIncident: Type.Boolean({ description: 'Whether this update closed an open incident.' }),
  },
  { $id: 'IncidentUpdate' },
);
export type IncidentUpdate = Static<typeof IncidentUpdate>;

export const LedgerEntry = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum([...incidentTypes]),
    services: Type.Array(Type.String(), { description: 'Slugs of the monitors.' }),
    ...said,
    startedAt: Time(),
    resolvedAt: Nullable(Time('null while open')),
    publishedAt: Time(),
    scheduledEndAt: Nullable(Time()),
    maintenanceState: Nullable(Type.Enum([...maintenanceStates])),
    title: Texts,
    summary: Texts,
    updates: Type.Array(
      Type.Object({
        id: Type.String(),
        status: Type.Enum([...updateStatuses]),
        body: Texts,
        createdAt: Time(),
      }),
      { description: 'Oldest first.' },
    ),
  },
  { $id: 'LedgerEntry' },
);
/** An incident or maintenance in public answers and in webhooks. Texts are by language. */
export type LedgerEntry = Static<typeof LedgerEntry>;

/** Whether a maintenance was ended before its start. */
export const isCalledOff = ({
  type,
  startedAt,
  resolvedAt,
}: Pick<LedgerEntry, 'type' | 'startedAt' | 'resolvedAt'>): boolean =>
  type === 'maintenance' && resolvedAt !== null && Date.parse(resolvedAt) <= Date.parse(startedAt);

export const Ledger = Type.Object(
  {
    slug: Type.String(),
    incidents: Type.Array(LedgerEntry, {
      description:
        `Newest first: all open incidents, and the newest ${incidentLimits.ledgerResolved} others, fewer when their ` +
        `texts take more than ${incidentLimits.ledgerTextBytes / 1e6} MB in the default language, or ` +
        `${incidentLimits.ledgerTextBytesInAll / 1e6} MB in all languages of the page. Incidents are there as a whole; ` +
        'an open one beyond that size has its texts in the default language alone.',
    }),
  },
  { $id: 'Ledger' },
);
export type Ledger = Static<typeof Ledger>;

export const announcementVerbs = ['created', 'updated', 'resolved', 'reopened', 'update_posted'] as const;
export type AnnouncementVerb = (typeof announcementVerbs)[number];
/** Name of an event of an incident or maintenance in webhooks. */
export type AnnouncementKind = `${IncidentType}.${AnnouncementVerb}`;
export const announcementKinds: readonly AnnouncementKind[] = incidentTypes.flatMap((type) =>
  announcementVerbs.map((verb) => `${type}.${verb}` as const),
);

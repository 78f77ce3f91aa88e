/**
 * The public status API that Statuspage by Atlassian made usual: aggregators and chat bots read hundreds of pages in this
 * form. Fields, types and enumerations are those of its documentation, such as https://metastatuspage.com/api.
 */
import Type, { type Static } from 'typebox';

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ format: 'date-time' });

export const statuspageComponentStates = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const;
export const statuspageIndicators = ['none', 'minor', 'major', 'critical', 'maintenance'] as const;
export const statuspageIncidentStates = [
  'investigating',
  'identified',
  'monitoring',
  'resolved',
  'postmortem',
] as const;
export const statuspageMaintenanceStates = ['scheduled', 'in_progress', 'verifying', 'completed'] as const;

/** How many of the newest incidents, or of the newest maintenance, a list has. */
export const statuspageListMax = 50;

const ComponentState = Type.Enum([...statuspageComponentStates], {
  description: 'What is not known to be wrong is `operational`: the form has no word for not known.',
});
export type StatuspageComponentState = (typeof statuspageComponentStates)[number];

const Page = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  time_zone: Type.String(),
  updated_at: Time,
});
export type StatuspagePage = Static<typeof Page>;

const Status = Type.Object({
  indicator: Type.Enum([...statuspageIndicators]),
  description: Type.String({ description: 'In English, as the programs that read it expect.' }),
});

const Component = Type.Object({
  id: Type.String(),
  name: Type.String({ description: "In the page's default language." }),
  status: ComponentState,
  created_at: Time,
  updated_at: Time,
  position: Type.Integer({ minimum: 1, description: 'In its group, or on the page.' }),
  description: Nullable(Type.String()),
  showcase: Type.Boolean(),
  start_date: Nullable(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
  group_id: Nullable(Type.String()),
  page_id: Type.String(),
  group: Type.Boolean({ description: 'Whether it is a group, whose `components` are those in it.' }),
  only_show_if_degraded: Type.Boolean(),
  components: Type.Optional(Type.Array(Type.String(), { description: 'Only of a group.' })),
});
export type StatuspageComponent = Static<typeof Component>;

const updateFields = {
  id: Type.String(),
  body: Type.String({ description: 'Markdown.' }),
  incident_id: Type.String(),
  created_at: Time,
  updated_at: Time,
  display_at: Time,
  affected_components: Nullable(
    Type.Array(
      Type.Object({
        code: Type.String(),
        name: Type.String(),
        old_status: ComponentState,
        new_status: ComponentState,
      }),
    ),
  ),
  deliver_notifications: Type.Boolean(),
  custom_tweet: Type.Null(),
  tweet_id: Type.Null(),
};

const incidentFields = {
  id: Type.String(),
  name: Type.String(),
  created_at: Time,
  updated_at: Time,
  monitoring_at: Nullable(Time),
  resolved_at: Nullable(Time),
  shortlink: Type.String({ description: 'Address of the incident on the page.' }),
  started_at: Time,
  page_id: Type.String(),
  components: Type.Array(Component),
  reminder_intervals: Type.Null(),
};

const Incident = Type.Object({
  ...incidentFields,
  status: Type.Enum([...statuspageIncidentStates]),
  impact: Type.Enum(['none', 'minor', 'major', 'critical']),
  incident_updates: Type.Array(
    Type.Object({ ...updateFields, status: Type.Enum([...statuspageIncidentStates]) }),
    { description: 'Newest first; the oldest is what the incident was opened with.' },
  ),
});
export type StatuspageIncident = Static<typeof Incident>;

const ScheduledMaintenance = Type.Object({
  ...incidentFields,
  status: Type.Enum([...statuspageMaintenanceStates]),
  impact: Type.Literal('maintenance'),
  scheduled_for: Time,
  scheduled_until: Type.String({
    format: 'date-time',
    description: 'The planned end; the start where the page says no end.',
  }),
  incident_updates: Type.Array(
    Type.Object({ ...updateFields, status: Type.Enum([...statuspageMaintenanceStates]) }),
    { description: 'Newest first.' },
  ),
});
export type StatuspageMaintenance = Static<typeof ScheduledMaintenance>;

export const StatuspageStatus = Type.Object({ page: Page, status: Status }, { $id: 'StatuspageStatus' });
export type StatuspageStatus = Static<typeof StatuspageStatus>;

export const StatuspageComponents = Type.Object(
  { page: Page, components: Type.Array(Component) },
  { $id: 'StatuspageComponents' },
);
export type StatuspageComponents = Static<typeof StatuspageComponents>;

export const StatuspageIncidents = Type.Object(
  { page: Page, incidents: Type.Array(Incident, { description: 'Newest first.' }) },
  { $id: 'StatuspageIncidents' },
);
export type StatuspageIncidents = Static<typeof StatuspageIncidents>;

export const StatuspageMaintenances = Type.Object(
  { page: Page, scheduled_maintenances: Type.Array(ScheduledMaintenance) },
  { $id: 'StatuspageMaintenances' },
);
export type StatuspageMaintenances = Static<typeof StatuspageMaintenances>;

export const StatuspageSummary = Type.Object(
  {
    page: Page,
    components: Type.Array(Component),
    incidents: Type.Array(Incident, { description: 'Those that are not resolved.' }),
    scheduled_maintenances: Type.Array(ScheduledMaintenance, {
      description: 'Those that are not completed.',
    }),
    status: Status,
  },
  { $id: 'StatuspageSummary' },
);
export type StatuspageSummary = Static<typeof StatuspageSummary>;

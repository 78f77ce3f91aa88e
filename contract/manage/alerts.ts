import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { RuleCondition, ruleKinds } from './rules.js';
import { AlertSeverity, alertSeverities, closed, Id, nullable, ResourceSlug, Time } from './shared.js';

export const alertLimits = {
  noteChars: 500,
  /** Alerts that are over are kept so long. */
  keptDays: 400,
  /** Links in messages work so long from the start of the alert. */
  linkDays: 30,
  silencesPerPage: 100,
  silenceDaysMax: 366,
} as const;

/**
 * `held`: something that the rule depends on is in trouble; `silenced`: a silence covers it. Nobody is told of either.
 */
export const alertStates = ['firing', 'acknowledged', 'silenced', 'held', 'resolved'] as const;
export type AlertState = (typeof alertStates)[number];

/** Alerts that a list has. `quiet`: silenced or held back. */
export const alertChoices = ['open', 'firing', 'acknowledged', 'quiet', 'past', 'all'] as const;
export type AlertChoice = (typeof alertChoices)[number];

export const alertOrders = ['newest', 'worst'] as const;
export type AlertOrder = (typeof alertOrders)[number];

const count = Type.Integer({ minimum: 0 });
const ms = Type.Optional(
  nullable(Type.Number({ description: 'Milliseconds; null when nothing was measured.' })),
);

const AlertFigures = closed({
  requests: Type.Optional(count),
  errors: Type.Optional(count),
  ...{ p50Ms: ms, p95Ms: ms, p99Ms: ms },
  checks: Type.Optional(Type.Integer({ minimum: 0, description: 'Checks of the monitor.' })),
  failed: Type.Optional(Type.Integer({ minimum: 0, description: 'Checks that failed.' })),
  responseMs: ms,
});
export type AlertFigures = Static<typeof AlertFigures>;

const Endpoint = closed({
  service: Type.String(),
  endpoint: Type.String(),
  requests: count,
  errors: count,
  p95Ms: ms,
  before: Type.Optional(
    closed({ requests: count, errors: count, p95Ms: ms }, 'Of as long a time, before the alert.'),
  ),
});

export const AlertEvidence = closed({
  from: Type.Optional(Time),
  to: Type.Optional(Time),
  requests: Type.Optional(Type.Integer()),
  errors: Type.Optional(Type.Integer()),
  now: Type.Optional(AlertFigures),
  before: Type.Optional(
    closed(
      { from: Time, to: Time, ...AlertFigures.properties },
      'Figures of as long a time, just before the condition began to hold.',
    ),
  ),
  endpoints: Type.Optional(
    Type.Array(Endpoint, { description: 'Those that contribute most, at most three.' }),
  ),
  messages: Type.Optional(Type.Array(closed({ message: Type.String(), count: Type.Integer() }))),
  deployment: Type.Optional(
    closed({
      service: Type.String(),
      version: Type.String(),
      environment: nullable(Type.String()),
      at: Time,
    }),
  ),
  since: Type.Optional(Time),
  text: Type.Optional(Type.String()),
  facts: Type.Optional(Type.Array(closed({ name: Type.String(), value: Type.String() }))),
});

/** The part of the page that an alert is about. */
const AlertSubject = closed({
  service: Type.Optional(Type.String()),
  endpoint: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
  monitor: Type.Optional(Type.String({ description: 'Slug of a monitor.' })),
  reporter: Type.Optional(Type.String()),
  objective: Type.Optional(Type.String({ description: 'Slug of an objective.' })),
  database: Type.Optional(Type.String()),
  pool: Type.Optional(Type.String()),
  query: Type.Optional(Type.String({ description: 'Id of a shared saved query.' })),
});
export type AlertSubject = Static<typeof AlertSubject>;

/** An alert without its evidence. */
export const OpenAlert = closed({
  id: Id,
  rule: closed({
    slug: ResourceSlug,
    name: Type.String(),
    kind: Type.Enum([...ruleKinds]),
    condition: nullable({ ...RuleCondition, description: 'As it is now; null when the rule is gone.' }),
  }),
  group: Type.String({ description: 'The service, endpoint or monitor; empty for a rule without groups.' }),
  subject: AlertSubject,
  severity: AlertSeverity,
  state: Type.Enum([...alertStates]),
  title: Type.String(),
  value: nullable(Type.Number()),
  threshold: nullable(Type.Number()),
  startedAt: Time,
  resolvedAt: nullable(Time),
  endedBy: nullable(
    Type.Enum(['rule', 'person', 'change'], {
      description:
        'rule: the condition is over. person: somebody resolved it. change: the rule was changed or deleted.',
    }),
  ),
  acknowledgedAt: nullable(Time),
  acknowledgedBy: nullable(Type.String()),
  note: nullable(Type.String()),
  heldBy: nullable(Type.String({ description: 'What is in trouble and holds the message back.' })),
  silence: nullable(
    closed({ id: Id, endsAt: Time }, 'The silence that covers an open alert; the one that ends last.'),
  ),
  toldAt: nullable(Time),
  incidentId: nullable(Id),
});
export type OpenAlert = Static<typeof OpenAlert>;

export const ManagedAlert = closed({ ...OpenAlert.properties, evidence: AlertEvidence });
export type ManagedAlert = Static<typeof ManagedAlert>;

const outcome = Type.Enum(['pending', 'delivered', 'parked'], {
  description: 'It waits, was taken by the provider, or was given up.',
});

const AlertNotice = closed({
  at: Time,
  step: Type.Integer({ minimum: 0, description: 'The step of the policy, from 0.' }),
  round: Type.Integer({ minimum: 0, description: 'How often all steps had been gone through.' }),
  type: Type.Enum(['person', 'channel', 'schedule', 'nobody']),
  name: Type.String(),
  state: nullable(outcome),
  reason: nullable(Type.String({ description: 'Why nobody was reached, or why the message was given up.' })),
  ways: Type.Array(closed({ kind: Type.String(), state: outcome, reason: nullable(Type.String()) })),
});
export type AlertNotice = Static<typeof AlertNotice>;

/** An alert, and who was told of it. */
export const ManagedAlertWithNotices = closed({
  ...ManagedAlert.properties,
  notified: Type.Array(AlertNotice),
});
export type ManagedAlertWithNotices = Static<typeof ManagedAlertWithNotices>;

/** How many alerts are open, by how they are. */
export const AlertCounts = closed({
  firing: count,
  acknowledged: count,
  quiet: Type.Integer({ minimum: 0, description: 'Silenced, or held back.' }),
  silences: Type.Integer({ minimum: 0, description: 'Silences that hold now.' }),
});
export type AlertCounts = Static<typeof AlertCounts>;

export const alertsQuery = {
  state: Type.Optional(
    Type.Enum([...alertChoices], {
      description: 'open when absent. quiet: silenced, or held back.',
    }),
  ),
  order: Type.Optional(
    Type.Enum([...alertOrders], {
      description: 'newest when absent. worst: by severity, and the newest of each first.',
    }),
  ),
  incident: Type.Optional(Type.String({ description: 'Id of the incident that the alert opened.' })),
  rule: Type.Optional(Type.String({ description: 'Slug of a rule.' })),
  severity: Type.Optional(Type.Enum([...alertSeverities], { description: 'Alerts of this severity alone.' })),
};

export const AcknowledgeAlert = closed({
  note: Type.Optional(
    Line('markedLine', {
      charsMax: alertLimits.noteChars,
      description: 'What you know, for those who come after you.',
    }),
  ),
});

const silenceFields = {
  rule: nullable(ResourceSlug),
  service: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  endpoint: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  severity: nullable(AlertSeverity),
};

export const ManagedSilence = closed({
  id: Id,
  ...silenceFields,
  note: Type.String(),
  createdBy: Type.String(),
  createdAt: Time,
  endsAt: Time,
  isActive: Type.Boolean(),
});
export type ManagedSilence = Static<typeof ManagedSilence>;

export const CreateSilence = closed({
  rule: Type.Optional(silenceFields.rule),
  service: Type.Optional(silenceFields.service),
  endpoint: Type.Optional(silenceFields.endpoint),
  severity: Type.Optional(silenceFields.severity),
  note: Type.Optional(Line('markedLine', { charsMax: alertLimits.noteChars })),
  endsAt: Type.Optional({ ...Time, description: 'Give this or `minutes`.' }),
  minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: alertLimits.silenceDaysMax * 1_440, description: 'From now on.' }),
  ),
});

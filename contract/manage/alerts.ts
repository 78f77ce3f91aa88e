import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { ruleKinds } from './rules.js';
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

const Endpoint = closed({
  service: Type.String(),
  endpoint: Type.String(),
  requests: Type.Integer(),
  errors: Type.Integer(),
});

export const AlertEvidence = closed({
  from: Type.Optional(Time),
  to: Type.Optional(Time),
  requests: Type.Optional(Type.Integer()),
  errors: Type.Optional(Type.Integer()),
  endpoints: Type.Optional(Type.Array(Endpoint)),
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

export const ManagedAlert = closed({
  id: Id,
  rule: closed({
    slug: ResourceSlug,
    name: Type.String(),
    kind: Type.Enum([...ruleKinds]),
  }),
  group: Type.String({ description: 'The service, endpoint or monitor; empty for a rule without groups.' }),
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
  toldAt: nullable(Time),
  incidentId: nullable(Id),
  evidence: AlertEvidence,
});
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

export const alertsQuery = {
  state: Type.Optional(Type.Enum(['open', 'past', 'all'], { description: 'open when absent.' })),
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

import Type, { type Static } from 'typebox';
import { announcementKinds } from '../incidents.js';
import { allEvents, deliveryStates } from '../webhooks.js';
import { closed, Id, nullable, Time } from './shared.js';

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Where deliveries are posted, http:// or https://, without user name and password.',
});

const Events = nullable(
  Type.Array(Type.String({ maxLength: 60 }), {
    minItems: 1,
    maxItems: 12,
    description: `Names of events: ${announcementKinds.join(', ')}; incident.* and maintenance.* stand for all of one type. null, and "${allEvents}" alone, for every event.`,
  }),
);

/** A webhook. Its secret appears once, in the answer that made it. */
export const ManagedWebhook = closed({
  id: Id,
  url: Url,
  events: Events,
  enabled: Type.Boolean(),
  hasSecret: Type.Literal(true),
  createdAt: Time,
  previousSecretUntil: nullable(
    Type.String({
      format: 'date-time',
      description: 'Until then, deliveries are signed with the previous secret as well.',
    }),
  ),
  disabledAt: nullable(Time),
  disabledReason: nullable(Type.String()),
});

export const CreateManagedWebhook = closed({ url: Url, events: Type.Optional(Events) });

export const ChangeManagedWebhook = closed({
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'While it is false, pending deliveries wait, and changes are not queued for the webhook.',
    }),
  ),
});

export const ManagedWebhookWithSecret = closed({
  ...ManagedWebhook.properties,
  secret: Type.String({ description: 'Signs the deliveries. No later answer has it.' }),
});

export const QueuedDelivery = closed({ deliveryId: Id });

const Attempt = closed({
  at: Time,
  durationMs: Type.Integer({ description: 'In milliseconds.' }),
  status: nullable(Type.Integer({ description: 'null when the receiver did not answer.' })),
  error: nullable(Type.String({ description: 'A class, a colon and a sentence.' })),
  answer: nullable(Type.String({ description: "Start of the receiver's answer." })),
});

/** Attempts that one delivery shows. */
export const pastAttemptsMax = 50;

export const ManagedDelivery = closed({
  id: Id,
  incidentId: nullable(Id),
  kind: Type.String({ description: 'The event, or webhook.test.' }),
  state: Type.Enum([...deliveryStates], { description: 'A parked delivery is not tried again by itself.' }),
  reason: nullable(Type.String({ description: 'Why the delivery is parked.' })),
  createdAt: Type.String({
    format: 'date-time',
    description:
      'When the change was made that the delivery announces; for webhook.test, when it was asked for.',
  }),
  nextAttemptAt: nullable(Time),
  finishedAt: nullable(Time),
  attempts: Type.Integer(),
  lastAttempt: nullable(Attempt),
});

/** A delivery with what is sent. */
export const ManagedDeliveryDetail = closed({
  ...ManagedDelivery.properties,
  request: closed({
    method: Type.Literal('POST'),
    url: Type.String({ description: 'That of the webhook now.' }),
    headers: Type.Array(closed({ name: Type.String(), value: Type.String() }), {
      description: 'All but webhook-signature. Before the first attempt there is no webhook-timestamp.',
    }),
    body: nullable(
      Type.String({ description: 'As it is sent now; null when what it announces was deleted.' }),
    ),
  }),
  pastAttempts: Type.Array(Attempt, {
    description: `The last ${pastAttemptsMax} attempts that ended, newest first.`,
  }),
});

export type ManagedWebhook = Static<typeof ManagedWebhook>;
export type ManagedWebhookWithSecret = Static<typeof ManagedWebhookWithSecret>;
export type ManagedDelivery = Static<typeof ManagedDelivery>;
export type ManagedDeliveryDetail = Static<typeof ManagedDeliveryDetail>;

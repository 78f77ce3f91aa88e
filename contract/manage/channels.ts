import Type, { type Static } from 'typebox';
import {
  channelKinds,
  channelLimits,
  channelMessageStates,
  channelRegions,
  channelTopics,
} from '../channels.js';
import { Line } from '../line.js';
import { closed, Id, nullable, Time } from './shared.js';

const Name = Line('line', { charsMax: channelLimits.nameChars });
const Kind = Type.Enum([...channelKinds]);
const Topics = nullable(
  Type.Array(Type.String({ maxLength: 40 }), {
    minItems: 1,
    maxItems: 12,
    description: `What it reports: ${channelTopics.join(', ')}. null for everything.`,
  }),
);
const Minute = Type.String({ maxLength: 5, description: 'HH:MM' });
const QuietHours = nullable(
  closed(
    { from: Minute, to: Minute },
    'In the time zone of the page; `to` may be on the next day. What begins in them is sent at their end, unless it is over by then. null for none.',
  ),
);

const text = (description: string) => Type.String({ minLength: 1, maxLength: 2_048, description });
const openFields = {
  server: text('Server of ntfy (https://ntfy.sh when absent), of Gotify, or of a Bot API of your own.'),
  chat: text('Chat of Telegram: its number, or the @name of a public channel.'),
  region: Type.Enum([...channelRegions], { description: 'Of PagerDuty or Opsgenie; us when absent.' }),
};
const fields = {
  url: text(
    'Incoming webhook of Slack, Discord, Teams or Mattermost, or the address of a program. Whoever knows it can post there.',
  ),
  token: text('Token of a Telegram bot, of an application of Gotify or Pushover, or of a user of ntfy.'),
  topic: text('Topic of ntfy. Whoever knows it reads along.'),
  user: text('Key of a user or group of Pushover.'),
  routingKey: text('Integration key of a PagerDuty service (Events API v2).'),
  apiKey: text('API key of an Opsgenie integration.'),
  secret: text('Signs the messages to a webhook: `whsec_` and 24 to 64 bytes in base64.'),
  ...openFields,
};
const Settings = closed(
  {
    url: Type.Optional(fields.url),
    server: Type.Optional(fields.server),
    topic: Type.Optional(fields.topic),
    token: Type.Optional(fields.token),
    chat: Type.Optional(fields.chat),
    user: Type.Optional(fields.user),
    routingKey: Type.Optional(fields.routingKey),
    apiKey: Type.Optional(fields.apiKey),
    region: Type.Optional(fields.region),
    secret: Type.Optional(fields.secret),
  },
  'What the kind needs: url for slack, discord, teams, mattermost and webhook; token and chat for telegram; topic for ntfy; server and token for gotify; token and user for pushover; routingKey for pagerduty; apiKey for opsgenie.',
);
const ChangedSettings = closed(
  {
    url: Type.Optional(nullable(fields.url)),
    server: Type.Optional(nullable(fields.server)),
    topic: Type.Optional(nullable(fields.topic)),
    token: Type.Optional(nullable(fields.token)),
    chat: Type.Optional(nullable(fields.chat)),
    user: Type.Optional(nullable(fields.user)),
    routingKey: Type.Optional(nullable(fields.routingKey)),
    apiKey: Type.Optional(nullable(fields.apiKey)),
    region: Type.Optional(nullable(fields.region)),
    secret: Type.Optional(nullable(fields.secret)),
  },
  'Fields that are absent stay as they are; null removes one.',
);

/** A channel as its page shows it. No answer has its URL or a token. */
export const ManagedChannel = closed({
  id: Id,
  kind: Kind,
  name: Type.String(),
  host: Type.String({ description: 'The host that messages go to.' }),
  settings: closed({
    server: Type.Optional(openFields.server),
    chat: Type.Optional(openFields.chat),
    region: Type.Optional(openFields.region),
  }),
  topics: Topics,
  quietHours: QuietHours,
  enabled: Type.Boolean(),
  createdAt: Time,
  waiting: Type.Integer({ description: 'Messages that wait.' }),
  last: nullable(
    closed(
      {
        state: Type.Enum(['delivered', 'parked']),
        at: Time,
        reason: nullable(Type.String({ description: 'Why it was given up.' })),
      },
      'The last message that was delivered or given up.',
    ),
  ),
});

export const CreateManagedChannel = closed({
  kind: Kind,
  name: Name,
  settings: Settings,
  topics: Type.Optional(Topics),
  quietHours: Type.Optional(QuietHours),
});

export const ChangeManagedChannel = closed({
  name: Type.Optional(Name),
  settings: Type.Optional(ChangedSettings),
  topics: Type.Optional(Topics),
  quietHours: Type.Optional(QuietHours),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'A channel that is turned off sends nothing, and drops the messages that are waiting.',
    }),
  ),
});

/** Settings that are absent go back to their defaults; secrets that are absent stay. */
export const PutManagedChannel = closed({
  name: Type.Optional(Type.String({ description: 'The name of the path, if given.' })),
  kind: Kind,
  settings: Type.Optional(Settings),
  topics: Type.Optional(Topics),
  quietHours: Type.Optional(QuietHours),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether it sends messages; true when absent.' })),
});

export const QueuedMessage = closed({ messageId: Id });

export const ManagedMessage = closed({
  id: Id,
  event: Type.String({ description: 'Such as monitor.down, or channel.test.' }),
  title: Type.String(),
  text: Type.String(),
  state: Type.Enum([...channelMessageStates], { description: 'A parked message was given up.' }),
  attempts: Type.Integer(),
  createdAt: Time,
  nextAttemptAt: nullable(Time),
  finishedAt: nullable(Time),
  status: nullable(Type.Integer({ description: 'Of the last attempt; null without an answer.' })),
  reason: nullable(
    Type.String({ description: 'Why the last attempt failed: a class, a colon and a sentence.' }),
  ),
});

export type ManagedChannel = Static<typeof ManagedChannel>;
export type ManagedMessage = Static<typeof ManagedMessage>;
export type CreateManagedChannel = Static<typeof CreateManagedChannel>;
export type PutManagedChannel = Static<typeof PutManagedChannel>;
export type ChangeManagedChannel = Static<typeof ChangeManagedChannel>;

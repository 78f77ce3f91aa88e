import Type, { type Static } from 'typebox';
import type { ChannelKind } from '../channels.js';
import { Line } from '../line.js';
import { AlertSeverity, alertSeverities, closed, Id, nullable, Time } from './shared.js';

/** Providers that reach one person, by their own form of a message. */
export const providerWayKinds = [
  'ntfy',
  'pushover',
  'telegram',
  'webhook',
] as const satisfies readonly ChannelKind[];
export type ProviderWayKind = (typeof providerWayKinds)[number];

/** Text messages and calls, which leave through a gateway of the operator. */
export const phoneWayKinds = ['sms', 'voice'] as const;
export type PhoneWayKind = (typeof phoneWayKinds)[number];

/** The ways in which a person can be told of an alert. */
export const contactWayKinds = ['email', ...providerWayKinds, ...phoneWayKinds] as const;
export type ContactWayKind = (typeof contactWayKinds)[number];

/** Names of the kinds, which a way has when its owner gives it none. */
export const contactWayNames: Readonly<Record<ContactWayKind, string>> = {
  email: 'Email',
  ntfy: 'ntfy',
  pushover: 'Pushover',
  telegram: 'Telegram',
  webhook: 'Webhook',
  sms: 'Text message',
  voice: 'Call',
};

/** The messages about an alert: it begins, it goes on, and it is over. */
export const personPhases = ['start', 'reminder', 'end'] as const;
export type PersonPhase = (typeof personPhases)[number];

/** The types of the messages about an alert, which a webhook gets. */
export const personEvents = {
  start: 'alert.firing',
  reminder: 'alert.reminder',
  end: 'alert.resolved',
} as const satisfies Record<PersonPhase, string>;

/** The types of the messages that test a way, and that hold a code which confirms one. */
export const contactWayTestEvent = 'contact-way.test';
export const contactWayCodeEvent = 'contact-way.code';
export type PersonEvent =
  | (typeof personEvents)[PersonPhase]
  | typeof contactWayTestEvent
  | typeof contactWayCodeEvent;

export const contactWayLimits = {
  waysPerPerson: 10,
  nameChars: 80,
  /** Messages of a way that wait. Beyond them the oldest is given up, so that the newest gets through. */
  waitingPerWay: 100,
  /** Characters of a text message; longer ones cost as much as several. */
  smsChars: 160,
  /** Characters that a call reads aloud: about half a minute. */
  spokenChars: 400,
  codeMinutes: 10,
  /** Wrong codes, after which only a new code confirms. */
  codeTries: 5,
  /** Messages with a code, and tests, that a person may send within an hour. */
  codesPerHour: 5,
  testsPerHour: 20,
} as const;

const Kind = Type.Enum([...contactWayKinds]);
const Name = Line('line', { charsMax: contactWayLimits.nameChars });
const Severities = Type.Array(AlertSeverity, {
  minItems: 1,
  maxItems: alertSeverities.length,
  uniqueItems: true,
  description: 'The severities of alerts that come here.',
});
const Minute = Type.String({ maxLength: 5, description: 'HH:MM' });
const QuietHours = nullable(
  closed(
    {
      from: Minute,
      to: Minute,
      timeZone: Type.String({ maxLength: 64, description: 'Such as Europe/Berlin.' }),
    },
    'Do not wake me: alerts of the severity page come at once, and others at the end of these hours, unless they are over by then. `to` may be on the next day. null for none.',
  ),
);

const text = (description: string) => Type.String({ minLength: 1, maxLength: 2_048, description });
const openFields = {
  to: text('Address of an email, or number of a phone with its country, such as +4930123456.'),
  server: text('Server of ntfy (https://ntfy.sh when absent), or of a Bot API of your own.'),
  chat: text('Chat of Telegram: its number, or the @name of a public channel.'),
};
const fields = {
  ...openFields,
  topic: text('Topic of ntfy. Whoever knows it reads along.'),
  token: text('Token of a user of ntfy, of an application of Pushover, or of a Telegram bot.'),
  user: text('Key of a user or group of Pushover.'),
  url: text('Address of a program. Whoever knows it can post there.'),
  secret: text('Signs the messages to a webhook: `whsec_` and 24 to 64 bytes in base64.'),
};
const Settings = closed(
  {
    to: Type.Optional(fields.to),
    server: Type.Optional(fields.server),
    topic: Type.Optional(fields.topic),
    token: Type.Optional(fields.token),
    chat: Type.Optional(fields.chat),
    user: Type.Optional(fields.user),
    url: Type.Optional(fields.url),
    secret: Type.Optional(fields.secret),
  },
  'What the kind needs: to for sms and voice, and for email unless it is the address of the account; topic for ntfy; token and user for pushover; token and chat for telegram; url for webhook.',
);
const ChangedSettings = closed(
  {
    to: Type.Optional(nullable(fields.to)),
    server: Type.Optional(nullable(fields.server)),
    topic: Type.Optional(nullable(fields.topic)),
    token: Type.Optional(nullable(fields.token)),
    chat: Type.Optional(nullable(fields.chat)),
    user: Type.Optional(nullable(fields.user)),
    url: Type.Optional(nullable(fields.url)),
    secret: Type.Optional(nullable(fields.secret)),
  },
  'Fields that are absent stay as they are; null removes one. A new address or number has to be confirmed.',
);

/** A way as its owner sees it. No answer has its URL or a token. */
export const ContactWay = closed({
  id: Id,
  kind: Kind,
  name: Type.String(),
  address: Type.String({ description: 'Where messages go: an address, a number, or a host.' }),
  settings: closed({
    to: Type.Optional(openFields.to),
    server: Type.Optional(openFields.server),
    chat: Type.Optional(openFields.chat),
  }),
  severities: Severities,
  quietHours: QuietHours,
  confirmed: Type.Boolean({ description: 'Alerts come only to a way that is confirmed.' }),
  confirmation: nullable(
    closed(
      {
        expiresAt: Time,
        triesLeft: Type.Integer(),
        failed: nullable(Type.String({ description: 'Why the code could not be sent.' })),
      },
      'The code that was sent last, until it has confirmed the way.',
    ),
  ),
  createdAt: Time,
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

export const CreateContactWay = closed({
  kind: Kind,
  name: Type.Optional(Name),
  settings: Type.Optional(Settings),
  severities: Type.Optional(Severities),
  quietHours: Type.Optional(QuietHours),
});

export const ChangeContactWay = closed({
  name: Type.Optional(Name),
  settings: Type.Optional(ChangedSettings),
  severities: Type.Optional(Severities),
  quietHours: Type.Optional(QuietHours),
});

export const ConfirmContactWay = closed({
  code: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'The six digits that were sent; without them, a new code is sent.',
    }),
  ),
});

export const TestedContactWay = closed({
  state: Type.Enum(['delivered', 'failed']),
  status: nullable(Type.Integer({ description: 'HTTP status; null without one.' })),
  reason: nullable(Type.String({ description: 'Why it failed: a class, a colon and a sentence.' })),
});

export type ContactWay = Static<typeof ContactWay>;
export type CreateContactWay = Static<typeof CreateContactWay>;
export type ChangeContactWay = Static<typeof ChangeContactWay>;
export type TestedContactWay = Static<typeof TestedContactWay>;

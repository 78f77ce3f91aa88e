import type { AnnouncementKind } from './incidents.js';

/** Providers that can notify a team about problems. `webhook` posts JSON to a program of theirs. */
export const channelKinds = [
  'slack',
  'discord',
  'teams',
  'telegram',
  'mattermost',
  'ntfy',
  'gotify',
  'pushover',
  'pagerduty',
  'opsgenie',
  'webhook',
] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** Names of the kinds as their makers write them. */
export const channelNames: Readonly<Record<ChannelKind, string>> = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  mattermost: 'Mattermost',
  ntfy: 'ntfy',
  gotify: 'Gotify',
  pushover: 'Pushover',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
  webhook: 'Webhook',
};

/** The problems that a channel may report. One message says that a problem begins, and another that it is over. */
export const channelTopics = [
  'monitor',
  'reporter',
  'failure-rate',
  'rule',
  'deliveries',
  'certificate',
] as const;
export type ChannelTopic = (typeof channelTopics)[number];

/** The types of messages by topic: what begins, and how it ends. */
export const channelEvents = {
  monitor: ['monitor.down', 'monitor.up'],
  reporter: ['reporter.silent', 'reporter.back'],
  'failure-rate': ['failure-rate.high', 'failure-rate.normal'],
  rule: ['rule.firing', 'rule.resolved'],
  deliveries: ['deliveries.behind', 'deliveries.caught-up'],
  certificate: ['certificate.ending', 'certificate.renewed'],
} as const satisfies Record<ChannelTopic, readonly [string, string]>;

/** The type of a message that tests a channel. */
export const channelTestEvent = 'channel.test';
/** The type of the message that asks a reader to confirm. */
export const channelConfirmEvent = 'subscription.confirm';
/** The type of a message that reminds readers of maintenance. */
export const channelReminderEvent = 'maintenance.reminder';
export type ChannelEvent =
  | (typeof channelEvents)[ChannelTopic][number]
  | typeof channelTestEvent
  | typeof channelConfirmEvent
  | typeof channelReminderEvent
  | AnnouncementKind;

/** An email to the owners of a page about a channel of the team that did not take a message. */
export type ChannelNotice = {
  what: 'channel';
  channelId: string;
  kind: ChannelKind;
  name: string;
  /** Where messages go. The rest of an address may be a secret. */
  host: string;
  /** Title of the message that was given up. */
  message: string;
  attempts: number;
  lastAttempt: {
    /** ISO 8601. */
    at: string;
    /** `null` when the provider did not answer. */
    status: number | null;
    /** A class, a colon and a sentence. */
    error: string;
    /** The provider's own words beside its status, on one line; absent when it said nothing. */
    said?: string;
  };
};

/** Providers that can notify readers of a page about incidents, through their own incoming webhook. */
export const readerKinds = ['slack', 'discord', 'teams', 'webhook'] as const satisfies readonly ChannelKind[];
export type ReaderKind = (typeof readerKinds)[number];

/** Screens of the dashboard that messages lead to. */
export type ChannelScreen = 'alerts' | 'monitors' | 'traffic' | 'webhooks' | 'reporters' | 'channels';

/** Regions of providers that keep accounts of Europe on another host. */
export const channelRegions = ['us', 'eu'] as const;
export type ChannelRegion = (typeof channelRegions)[number];

/** Address and credentials of a channel. `channelFields` has the fields of each kind. */
export type ChannelSettings = {
  /** Incoming webhook of a chat, or the address of a program. Whoever knows it can post there. */
  url?: string;
  /** Server of ntfy or Gotify, or of a Bot API that is not Telegram's own. */
  server?: string;
  /** Topic of ntfy. */
  topic?: string;
  /** Token of a Telegram bot, of an application of Gotify or Pushover, or of a user of ntfy. */
  token?: string;
  /** Chat of Telegram: its number, or the @name of a public one. */
  chat?: string;
  /** User or group of Pushover. */
  user?: string;
  /** Integration key of a PagerDuty service, for Events API v2. */
  routingKey?: string;
  /** API key of an Opsgenie integration. */
  apiKey?: string;
  region?: ChannelRegion;
  /** Signs the messages to a webhook, as the Standard Webhooks specification says: `whsec_` and base64. */
  secret?: string;
};
export type ChannelField = keyof ChannelSettings;

/** The fields of each kind: those that it needs, and those that it may have. */
export const channelFields: Readonly<
  Record<ChannelKind, { needs: readonly ChannelField[]; may: readonly ChannelField[] }>
> = {
  slack: { needs: ['url'], may: [] },
  discord: { needs: ['url'], may: [] },
  teams: { needs: ['url'], may: [] },
  telegram: { needs: ['token', 'chat'], may: ['server'] },
  mattermost: { needs: ['url'], may: [] },
  ntfy: { needs: ['topic'], may: ['server', 'token'] },
  gotify: { needs: ['server', 'token'], may: [] },
  pushover: { needs: ['token', 'user'], may: [] },
  pagerduty: { needs: ['routingKey'], may: ['region'] },
  opsgenie: { needs: ['apiKey'], may: ['region'] },
  webhook: { needs: ['url'], may: ['secret'] },
};

/** Fields that no answer, log or audit row holds. Whoever knows a topic of ntfy reads along. */
export const secretChannelFields = [
  ...(['url', 'topic', 'token', 'user', 'routingKey', 'apiKey', 'secret'] as const),
] as const;

export const channelLimits = {
  channelsPerPage: 50,
  nameChars: 80,
  /** Messages of a channel that wait. Beyond them the oldest is given up, so that the newest gets through. */
  waitingPerChannel: 500,
  /** When more than these begin in the same minute, one message reports them all. */
  toldOneByOne: 5,
  /** Names that such a message has. */
  namesInMessage: 10,
  /** A certificate is reported when it expires within this many days. */
  certificateDays: 14,
  /** An email or delivery that has been due for so long is behind. */
  behindMinutes: 15,
} as const;

export const channelMessageStates = ['pending', 'delivered', 'parked'] as const;
export type ChannelMessageState = (typeof channelMessageStates)[number];

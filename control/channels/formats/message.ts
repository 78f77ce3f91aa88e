import type {
  ChannelEvent,
  ChannelRegion,
  ChannelScreen,
  ChannelSettings,
} from '../../../contract/channels.js';
import type { PersonEvent } from '../../../contract/manage/contact-ways.js';
import type { AlertId } from '../../../lib/ids.js';

export type Severity = 'critical' | 'warning' | 'info';

/** A message to a team or a reader, before a provider gives it a form. Plain text throughout. */
export type ChannelMessage = {
  event: ChannelEvent | PersonEvent;
  /** `end` says that what began with the same `key` is over; a `note` begins nothing. */
  phase: 'begin' | 'end' | 'note';
  severity: Severity;
  /** Name of the page. */
  page: string;
  title: string;
  text: string;
  facts: readonly { name: string; value: string }[];
  /** Lead to the screen or page that shows it, and to further actions. */
  links: readonly [MessageLink, ...MessageLink[]];
  /** One for the beginning of something and for its end. */
  key: string;
  /** ISO 8601. */
  at: string;
};

export type MessageLink = { text: string; url: string };

/** The name that a provider shows for the sender. */
export const senderName = 'Heartline';

/** The request that carries a message to a provider. It is a POST. */
export type ProviderRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

/** Origins of the providers that are one service for everybody. */
export type ProviderOrigins = {
  telegram: string;
  pushover: string;
  ntfy: string;
  pagerduty: Readonly<Record<ChannelRegion, string>>;
  opsgenie: Readonly<Record<ChannelRegion, string>>;
};

export const providerOrigins: ProviderOrigins = {
  telegram: 'https://api.telegram.org',
  pushover: 'https://api.pushover.net',
  ntfy: 'https://ntfy.sh',
  pagerduty: { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' },
  opsgenie: { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' },
};

/** Puts a message into the form of a provider. `settings` has what `channelFields` says that the kind needs. */
export type Format = (
  message: ChannelMessage,
  settings: ChannelSettings,
  origins: ProviderOrigins,
) => ProviderRequest;

/** A POST of JSON. */
export function postJson(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ProviderRequest {
  return {
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** The address of a path of a server that may itself have a path, with or without a slash at its end. */
export function below(server: string, path: string): string {
  return `${server.replace(/\/+$/, '')}/${path}`;
}

/** One look tells how bad it is: the colours that status pages use, as RGB. */
export function colorOf({ phase, severity }: Pick<ChannelMessage, 'phase' | 'severity'>): number {
  if (phase === 'end') return 0x1a7f4b;
  return { critical: 0xc62f2f, warning: 0xb87400, info: 0x2f6fde }[severity];
}

/** A sign for providers that show no colour. */
export function signOf({ phase, severity }: Pick<ChannelMessage, 'phase' | 'severity'>): string {
  if (phase === 'end') return '🟢';
  return { critical: '🔴', warning: '🟠', info: '🔵' }[severity];
}

/** The text with the facts below it, each on a line. */
export function plainText({ text, facts }: Pick<ChannelMessage, 'text' | 'facts'>): string {
  return [text, ...facts.map(({ name, value }) => `${name}: ${value}`)]
    .filter((line) => line !== '')
    .join('\n');
}

/** A message as it is stored: addresses may change before it is sent, and tokens of links are not stored. */
export type StoredMessage = Omit<ChannelMessage, 'links' | 'page'> & {
  /** For a team: the screen of the dashboard that shows more. */
  screen?: ChannelScreen;
  /** The query of that screen. */
  query?: Readonly<Record<string, string>>;
  /** For a team: the alert that it is about, the first of several; a link that answers it is added. */
  alert?: AlertId;
  /** For a reader: paths on the host of the page; `confirm` and `manage` stand for paths with a token of the reader. */
  readerLinks?: readonly StoredLink[];
};
export type StoredLink = { text: string } & ({ path: string } | { purpose: 'confirm' | 'manage' });

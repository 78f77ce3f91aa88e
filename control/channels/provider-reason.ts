import { type ChannelSettings, secretChannelFields } from '../../contract/channels.js';
import { clipText } from '../../lib/clip-text.js';

/** The longest sentence of the providers is about half as long. */
const reasonCharsMax = 300;

/**
 * The fields in which providers say why they refuse, the most telling first: `description` of Telegram,
 * `errorDescription` of Gotify, `message` of Discord, Mattermost, PagerDuty and Opsgenie, `error` of ntfy and Teams, and
 * `errors` of Pushover, which PagerDuty has beside `message`.
 */
const fields = ['description', 'errorDescription', 'message', 'error', 'errors'] as const;

/**
 * Returns why a provider refused, by the body of its answer: one line of at most 300 characters, in which no secret of
 * `secrets` is left, or `undefined` when it says nothing. A page of HTML says nothing.
 *
 * @param said the body as JSON; `undefined` when it is not JSON
 */
export function providerReason(text: string, said: unknown, secrets: readonly string[]): string | undefined {
  const reason = said === undefined ? plainReason(text) : sentenceOf(said);
  const line = withoutSecrets(reason, secrets)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line === '' ? undefined : clipText(line, reasonCharsMax);
}

const plainReason = (text: string): string => (/^\s*</.test(text) ? '' : text);

/** `levels` is how much deeper a sentence may be: Teams has an object in `error`, and Pushover a list in `errors`. */
function sentenceOf(said: unknown, levels = 2): string {
  if (typeof said === 'string') return said;
  if (typeof said !== 'object' || said === null || levels === 0) return '';
  if (Array.isArray(said)) {
    const each = said.map((one) => sentenceOf(one, levels - 1));
    return each.filter((sentence) => sentence !== '').join('; ');
  }
  const given = new Map<string, unknown>(Object.entries(said));
  const sentences = fields
    .map((field) => sentenceOf(given.get(field), levels - 1))
    .filter((sentence) => sentence !== '');
  return [...new Set(sentences)].join('; ');
}

/** Providers quote a token, a user or the path of a request back. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

/** Returns the secrets of settings in every form in which a provider may quote them. */
export function secretsOf(settings: ChannelSettings): string[] {
  return secretChannelFields.flatMap((field) => {
    const value = settings[field];
    if (value === undefined || value === '') return [];
    return [value, encodeURIComponent(value), ...(field === 'url' ? pathsOf(value) : [])];
  });
}

/** The path of a URL, and the parts of it and of its query that are long enough for a secret. */
function pathsOf(url: string): string[] {
  const { pathname, search } = new URL(url);
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= secretCharsMin);
  return pathname === '/' ? parts : [`${pathname}${search}`, pathname, ...parts];
}

const secretCharsMin = 8;

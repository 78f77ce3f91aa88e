import { validateHeaderName, validateHeaderValue } from 'node:http';
import { findFormMistake, type Gateway, type Gateways } from '../../control/contact-ways/index.js';
import { ConfigError, type Environment, parseUrl, settingOf } from './read-setting.js';

/** The settings of the gateways for text messages and calls. */
export const gatewaySettings = [
  'HEARTLINE_SMS_URL',
  'HEARTLINE_SMS_FORM',
  'HEARTLINE_SMS_HEADERS',
  'HEARTLINE_VOICE_URL',
  'HEARTLINE_VOICE_FORM',
  'HEARTLINE_VOICE_HEADERS',
] as const;

/**
 * Reads the gateways for text messages and calls; each is absent without its settings.
 *
 * @throws ConfigError when one is missing or wrong. No message repeats a value, which may be a password.
 */
export function parseGateways(env: Environment): Gateways {
  const [sms, voice] = [parseGateway(env, 'HEARTLINE_SMS'), parseGateway(env, 'HEARTLINE_VOICE')];
  return { ...(sms !== undefined && { sms }), ...(voice !== undefined && { voice }) };
}

function parseGateway(env: Environment, prefix: 'HEARTLINE_SMS' | 'HEARTLINE_VOICE'): Gateway | undefined {
  const names = { url: `${prefix}_URL`, form: `${prefix}_FORM`, headers: `${prefix}_HEADERS` };
  const text = parseUrl(env, names.url, ['https:', 'http:']);
  if (text === undefined) {
    const alone = [names.form, names.headers].find((name) => settingOf(env, name) !== undefined);
    if (alone === undefined) return undefined;
    throw new ConfigError(`${alone} needs ${names.url}, the address of the gateway.`);
  }
  const form = parseTexts(env, names.form);
  if (form === undefined) {
    throw new ConfigError(
      `${names.form} must be set when ${names.url} is: the fields of the form as JSON, such as {"to": "{to}", "message": "{text}"}.`,
    );
  }
  const mistake = findFormMistake(form);
  if (mistake !== undefined) throw new ConfigError(`${names.form} ${mistake}.`);
  const headers = parseTexts(env, names.headers) ?? {};
  refuseBadHeaders(names.headers, headers);
  return { ...withoutUser(names, new URL(text), headers), form };
}

/** An object whose values are texts; numbers count as texts. */
function parseTexts(env: Environment, name: string): Record<string, string> | undefined {
  const text = settingOf(env, name);
  if (text === undefined) return undefined;
  const wrong = () => new ConfigError(`${name} must be a JSON object of texts, such as {"name": "value"}.`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong();
  const entries = Object.entries(parsed).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'string' && typeof value !== 'number') throw wrong();
    return [key, String(value)] as const;
  });
  return Object.fromEntries(entries);
}

function refuseBadHeaders(name: string, headers: Record<string, string>): void {
  for (const [header, value] of Object.entries(headers)) {
    try {
      validateHeaderName(header);
      validateHeaderValue(header, value);
    } catch {
      throw new ConfigError(`${name} has a name or a value that cannot be in a header.`);
    }
  }
}

/** A user and a password in the address become a header: an address may be logged, and a header is not. */
function withoutUser(
  names: { url: string; headers: string },
  url: URL,
  headers: Record<string, string>,
): Pick<Gateway, 'url' | 'headers'> {
  const { username, password } = url;
  if (username === '' && password === '') return { url: url.href, headers };
  if (Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')) {
    throw new ConfigError(
      `${names.headers} has the header authorization, and ${names.url} a user; leave one of them out.`,
    );
  }
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return {
    url: bare.href,
    headers: { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
  };
}

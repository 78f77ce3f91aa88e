import type { AlertSeverity } from '../../contract/manage/shared.js';

/** The form of a gateway that sends text messages or calls, as its operator writes it. */
export type Gateway = {
  /** Without a user and a password. */
  url: string;
  /** Fields of the form, with placeholders in their values. */
  form: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
};

/** The gateways of an installation. A kind without one is refused. */
export type Gateways = { sms?: Gateway | undefined; voice?: Gateway | undefined };

/** `to` is a number with its country, as +4930123456. */
export type GatewayValues = { to: string; text: string; severity: AlertSeverity };

/**
 * The placeholders of a form. `text_xml` is the text for a place in XML, which Twilio wants for calls: a name with an
 * ampersand would otherwise break the whole document.
 */
const placeholders: Readonly<Record<string, (values: GatewayValues) => string>> = {
  to: ({ to }) => to,
  text: ({ text }) => text,
  text_xml: ({ text }) => escapeXml(text),
  severity: ({ severity }) => severity,
};
const placeholder = /\{(\w+)\}/g;

/** Returns the request that carries a message to a gateway. It is a POST of a form. */
export function composeGatewayRequest(
  { url, form, headers }: Gateway,
  values: GatewayValues,
): { url: string; headers: Record<string, string>; body: string } {
  const filled = Object.entries(form).map(([name, value]) => [
    name,
    value.replaceAll(placeholder, (whole, key: string) => placeholders[key]?.(values) ?? whole),
  ]);
  return {
    url,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(filled).toString(),
  };
}

/**
 * Returns why a form cannot carry a message, in words that follow its name; `undefined` when it can. They repeat no
 * value, which may be a password.
 */
export function findFormMistake(form: Gateway['form']): string | undefined {
  const used = Object.values(form).flatMap((value) =>
    [...value.matchAll(placeholder)].map(([, name = '']) => name),
  );
  const unknown = used.find((name) => !Object.hasOwn(placeholders, name));
  const known = Object.keys(placeholders).map((name) => `{${name}}`);
  if (unknown !== undefined) return `has the placeholder {${unknown}}; known are ${known.join(', ')}`;
  if (!used.includes('to')) return 'must have the placeholder {to} in one of its values';
  if (!used.includes('text') && !used.includes('text_xml')) {
    return 'must have the placeholder {text} or {text_xml} in one of its values';
  }
  return undefined;
}

/** A shorter value is no secret, and would cut words out of what a gateway says. */
const secretCharsMin = 6;

/** Returns what no error about a gateway may quote: its headers, the fixed values of its form, and parts of its path. */
export function secretsOfGateway({ url, form, headers }: Gateway): string[] {
  const { pathname, search } = new URL(url);
  const fixed = Object.values(form).filter((value) => !value.includes('{'));
  const values = Object.values(headers);
  const parts = [...values.flatMap((value) => value.split(/\s+/)), ...`${pathname}${search}`.split(/[/?&=]/)];
  const all = [...values, ...values.flatMap(credentialsOf), ...fixed, ...parts];
  return [...new Set(all.flatMap((value) => [value, encodeURIComponent(value)]))].filter(
    ({ length }) => length >= secretCharsMin,
  );
}

/** The user and the password of a header for Basic authentication. */
function credentialsOf(header: string): string[] {
  const [, encoded] = /^Basic\s+([A-Za-z0-9+/=]+)$/.exec(header) ?? [];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  return [pair, pair.slice(0, colon), pair.slice(colon + 1)];
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

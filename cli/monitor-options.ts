import { httpMethods, monitorLimits } from '../contract/monitors.js';
import type { MonitorRef } from '../control/monitors/monitor.js';
import type { MonitorSettings } from '../control/monitors/monitor-settings.js';
import { oneOf, required, wholeNumber } from './parse-options.js';
import { UsageError } from './usage-error.js';

/** What `monitor create` and `monitor set` share. */
export const settingOptions = {
  name: { type: 'string' },
  'name-in': { type: 'string', multiple: true },
  url: { type: 'string' },
  every: { type: 'string' },
  timeout: { type: 'string' },
  failures: { type: 'string' },
  method: { type: 'string' },
  header: { type: 'string', multiple: true },
  body: { type: 'string' },
  'expect-status': { type: 'string' },
  'expect-body': { type: 'string' },
  'tls-expiry-days': { type: 'string' },
  period: { type: 'string' },
  grace: { type: 'string' },
} as const;

export const settingHelp = `  --every SECONDS          from one check to the next, ${monitorLimits.everySecondsMin} to ${monitorLimits.everySecondsMax}; 60 at first
  --failures N             failures in a row after which it is down; 2 at first
  --name-in LANGUAGE=NAME  its name in another language of the page; may be repeated
  --json                   print one JSON object

Of http and tcp:

  --url URL                https://…, http://… or tcp://HOST:PORT
  --timeout MS             for all of a check; 10000 at first

Of http:

  --method METHOD          ${httpMethods.join(', ')}; GET at first
  --header 'NAME: VALUE'   sent along; may be repeated; kept encrypted and never shown
  --body TEXT              sent along; kept encrypted and never shown
  --expect-status LIST     such as 200-299,404; 200-299 at first
  --expect-body TEXT       must be in the first 64 KiB of the answer
  --tls-expiry-days N      fail when the certificate ends within so many days

Of heartbeat:

  --period SECONDS         how often its address is to be called
  --grace SECONDS          how late a call may be; 60 at first
`;

/** As parseOptions gives them. */
type SettingValues = {
  readonly [name in keyof typeof settingOptions]?:
    | ((typeof settingOptions)[name] extends { multiple: true } ? string[] : string)
    | undefined;
};

/** @throws UsageError for what is not even of the right form. */
export function readSettings(values: SettingValues): MonitorSettings {
  const { url, body } = values;
  return {
    ...(values.name !== undefined && { name: values.name }),
    ...(values['name-in'] !== undefined && { names: readNames(values['name-in']) }),
    ...(url !== undefined && { url }),
    ...number('everySeconds', values.every, '--every'),
    ...number('timeoutMs', values.timeout, '--timeout'),
    ...number('failuresToDown', values.failures, '--failures'),
    ...(values.method !== undefined && { method: oneOf(values.method, httpMethods, '--method') }),
    ...(values.header !== undefined && { headers: values.header.map(readHeader) }),
    ...(body !== undefined && { body }),
    ...(values['expect-status'] !== undefined && { expectStatus: values['expect-status'] }),
    ...(values['expect-body'] !== undefined && { expectBody: values['expect-body'] }),
    ...number('tlsExpiryDays', values['tls-expiry-days'], '--tls-expiry-days'),
    ...number('periodSeconds', values.period, '--period'),
    ...number('graceSeconds', values.grace, '--grace'),
  };
}

function number<Name extends keyof MonitorSettings>(
  name: Name,
  value: string | undefined,
  option: string,
): { [name in Name]?: number } {
  // A computed key is widened to string, so the type is said here.
  return value === undefined ? {} : ({ [name]: wholeNumber(value, option) } as { [name in Name]: number });
}

/** The sentence does not repeat what may be a secret. */
function readHeader(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError("--header must be like 'Name: value'.");
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

function readNames(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const equals = text.indexOf('=');
    if (equals < 1) throw new UsageError(`--name-in must be like fr=Nom, not "${text}".`);
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  return Object.fromEntries(pairs);
}

/** Options by which one monitor is meant, where its id is not given. */
export const refOptions = { page: { type: 'string' }, slug: { type: 'string' } } as const;

/** The positional arguments of a command on one monitor: its id, unless the page is named. */
export function refArguments(argv: readonly string[]): ['ID'] | [] {
  return argv.some((argument) => /^--(page|slug)(=|$)/.test(argument)) ? [] : ['ID'];
}

/** @throws UsageError when only one of --page and --slug is given. */
export function readRef(
  values: { page?: string | undefined; slug?: string | undefined },
  positionals: readonly string[],
): MonitorRef {
  const [id] = positionals;
  if (id !== undefined) return { id };
  return { pageSlug: required(values.page, '--page'), slug: required(values.slug, '--slug') };
}

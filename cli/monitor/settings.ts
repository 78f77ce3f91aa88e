import { httpMethods, monitorLimits } from '../../contract/monitors.js';
import { UsageError } from '../core/errors.js';
import { type Input, wholeNumber } from '../core/parse-arguments.js';

/** The settings that `monitor create` and `monitor set` share. */
export const settingOptions = {
  every: {
    value: 'SECONDS',
    help: `time between checks, ${monitorLimits.everySecondsMin} to ${monitorLimits.everySecondsMax}; 60 at first`,
    parse: wholeNumber,
  },
  failures: {
    value: 'N',
    help: 'failures in a row after which the monitor is down; 2 at first',
    parse: wholeNumber,
  },
  hidden: { help: 'do not show it in public', excludes: 'shown' },
  shown: { help: 'show it in public again', excludes: 'hidden' },
  description: { value: 'TEXT', help: 'one line for visitors, in the default language of the page' },
  descriptionIn: {
    value: 'LANGUAGE=TEXT',
    help: 'the description in another language of the page; may be repeated',
    multiple: true,
    parse: (text: string) => parseInLanguage('--description-in', text),
  },
  link: { value: 'URL', help: 'where visitors find the service' },
  dependsOn: {
    value: 'SLUG',
    help: 'a monitor: while it is down, alerts about this one are held back; may be repeated',
    multiple: true,
  },
  independent: { help: 'depend on no other monitor', excludes: 'dependsOn' },
  nameIn: {
    value: 'LANGUAGE=NAME',
    help: 'the name in another language of the page; may be repeated',
    multiple: true,
    parse: (text: string) => parseInLanguage('--name-in', text),
  },
  url: { value: 'URL', help: 'https://…, http://… or tcp://HOST:PORT', section: 'For http and tcp' },
  timeout: {
    value: 'MS',
    help: 'for a whole check; 10000 at first',
    section: 'For http and tcp',
    parse: wholeNumber,
  },
  degradedOver: {
    value: 'MS',
    help: 'degraded while as many checks in a row as for --failures take longer; 0 for never',
    section: 'For http and tcp',
    parse: wholeNumber,
  },
  method: {
    value: 'METHOD',
    help: `${httpMethods.join(', ')}; GET at first`,
    section: 'For http',
    choices: httpMethods,
  },
  header: {
    value: "'NAME: VALUE'",
    help: 'a request header; may be repeated; kept encrypted and never shown',
    section: 'For http',
    multiple: true,
    parse: parseHeader,
  },
  noHeaders: { help: 'send no request headers', section: 'For http', excludes: 'header' },
  body: { value: 'TEXT', help: 'the request body; kept encrypted and never shown', section: 'For http' },
  expectStatus: {
    value: 'LIST',
    help: 'such as 200-299,404; 200-299 at first',
    section: 'For http',
  },
  expectBody: {
    value: 'TEXT',
    help: 'must be in the first 64 KiB of the response',
    section: 'For http',
  },
  tlsExpiryDays: {
    value: 'N',
    help: 'fail when the certificate expires within N days',
    section: 'For http',
    parse: wholeNumber,
  },
  period: {
    value: 'SECONDS',
    help: 'how often the job must call its address',
    section: 'For heartbeat',
    parse: wholeNumber,
  },
  grace: {
    value: 'SECONDS',
    help: 'how late a call may be; 60 at first',
    section: 'For heartbeat',
    parse: wholeNumber,
  },
} as const;

type SettingInput = Input<Record<never, string>, readonly [], typeof settingOptions> & { name?: string };

/** The settings under the names of the API; a missing one stays missing. */
export function toSettings(input: SettingInput) {
  const { nameIn, descriptionIn, hidden, shown, independent, header, noHeaders, ...others } = input;
  const { every, failures, timeout, degradedOver, period, grace, ...same } = others;
  return {
    ...same,
    ...(nameIn !== undefined && { names: Object.fromEntries(nameIn) }),
    ...(descriptionIn !== undefined && { descriptions: Object.fromEntries(descriptionIn) }),
    ...(hidden && { hidden: true }),
    ...(shown && { hidden: false }),
    ...(independent && { dependsOn: [] }),
    ...(degradedOver !== undefined && { degradedOverMs: degradedOver }),
    ...(header !== undefined && { headers: header.map(([name, value]) => ({ name, value })) }),
    ...(noHeaders && { headers: [] }),
    ...(every !== undefined && { everySeconds: every }),
    ...(failures !== undefined && { failuresToDown: failures }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(period !== undefined && { periodSeconds: period }),
    ...(grace !== undefined && { graceSeconds: grace }),
  };
}

/** The error does not repeat the text: it may be a secret. */
function parseHeader(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError("--header must be like 'Name: value'.");
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

function parseInLanguage(option: string, text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`${option} must be like fr=Nom, not "${text}".`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

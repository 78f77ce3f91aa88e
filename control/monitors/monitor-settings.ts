import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  type HeartbeatOptions,
  type HttpMethod,
  type HttpOptions,
  httpDefaults,
  type MonitorKind,
  monitorDefaults,
  monitorLimits,
  parseStatusRanges,
  parseTcpUrl,
  type RequestSecrets,
} from '../../contract/monitors.js';
import { ControlError } from '../../lib/control-error.js';
import { problemOfOutboundUrl } from '../../lib/outbound/outbound-url.js';
import type { MonitorTarget } from './monitor.js';

/** What may be said of a monitor of any kind when it is made or changed. */
export type MonitorSettings = {
  name?: string;
  /** By language; an empty one takes the name of that language away. */
  names?: Record<string, string>;
  everySeconds?: number;
  timeoutMs?: number;
  failuresToDown?: number;
  url?: string;
  method?: HttpMethod;
  expectStatus?: string;
  /** An empty one: any answer. */
  expectBody?: string;
  /** 0: only a certificate that has ended is a failure. */
  tlsExpiryDays?: number;
  /** All of them; those from before are gone. */
  headers?: RequestSecrets['headers'];
  /** An empty one: no body. */
  body?: string;
  periodSeconds?: number;
  graceSeconds?: number;
};

/** The settings that only monitors of a kind have. */
const settingsOfKind = {
  http: ['url', 'method', 'expectStatus', 'expectBody', 'tlsExpiryDays', 'headers', 'body', 'timeoutMs'],
  tcp: ['url', 'timeoutMs'],
  heartbeat: ['periodSeconds', 'graceSeconds'],
} as const satisfies Record<MonitorKind, readonly (keyof MonitorSettings)[]>;

export type Timing = { everySeconds: number; timeoutMs: number; failuresToDown: number };

/** @throws ControlError when a setting is given that monitors of the kind do not have. */
export function checkSettingsOfKind(kind: MonitorKind, settings: MonitorSettings): void {
  const own = new Set<string>(settingsOfKind[kind]);
  const foreign = Object.values(settingsOfKind)
    .flat()
    .filter((setting) => !own.has(setting));
  const wrong = foreign.find((setting) => settings[setting] !== undefined);
  if (wrong === undefined) return;
  throw new ControlError(`A monitor of type ${kind} has no ${settingNames[wrong]}.`);
}

const settingNames: Record<(typeof settingsOfKind)[MonitorKind][number], string> = {
  url: 'URL',
  timeoutMs: 'timeout',
  method: 'method',
  expectStatus: 'expected status',
  expectBody: 'expected body',
  tlsExpiryDays: 'days before the end of a certificate',
  headers: 'headers',
  body: 'body',
  periodSeconds: 'period',
  graceSeconds: 'grace',
};

/** @throws ControlError when a value is out of range. */
export function readTiming(
  kind: MonitorKind,
  settings: MonitorSettings,
  before: Timing = monitorDefaults,
): Timing {
  const everySeconds = settings.everySeconds ?? before.everySeconds;
  const failuresToDown = settings.failuresToDown ?? before.failuresToDown;
  const timeoutMs = settings.timeoutMs ?? before.timeoutMs;
  const { everySecondsMin, everySecondsMax, timeoutMsMin, timeoutMsMax, failuresToDownMax } = monitorLimits;
  checkRange('The interval', everySeconds, everySecondsMin, everySecondsMax, 'seconds');
  checkRange('The failures in a row before it is down', failuresToDown, 1, failuresToDownMax, '');
  checkRange('The timeout', timeoutMs, timeoutMsMin, timeoutMsMax, 'milliseconds');
  if (kind !== 'heartbeat' && timeoutMs > everySeconds * 1000) {
    throw new ControlError(
      `The timeout of ${timeoutMs} ms is longer than the ${everySeconds} s from one check to the next.`,
    );
  }
  return { everySeconds, failuresToDown, timeoutMs };
}

/** @throws ControlError when something is missing or cannot be. */
export function readTarget(
  kind: MonitorKind,
  settings: MonitorSettings,
  before?: MonitorTarget,
): MonitorTarget {
  if (kind === 'heartbeat') {
    return { kind, options: readHeartbeat(settings, before?.kind === kind ? before.options : undefined) };
  }
  const url = settings.url ?? (before?.kind === kind ? before.url : undefined);
  if (url === undefined) throw new ControlError(`A monitor of type ${kind} needs a URL.`);
  if (kind === 'tcp') return { kind, url: checkTcpUrl(url) };
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new ControlError(problem);
  return {
    kind,
    url: new URL(url).href,
    options: readHttp(settings, before?.kind === kind ? before.options : undefined),
  };
}

function checkTcpUrl(url: string): string {
  if (url.length <= 300 && parseTcpUrl(url) !== undefined) return url;
  throw new ControlError(`"${url}" must be a host and a port, such as tcp://db.example.com:5432.`);
}

function readHttp(settings: MonitorSettings, before = httpDefaults): HttpOptions {
  const { method = before.method, expectStatus = before.expectStatus } = settings;
  const expectBody = settings.expectBody ?? before.expectBody ?? '';
  const tlsExpiryDays = settings.tlsExpiryDays ?? before.tlsExpiryDays ?? 0;
  if (parseStatusRanges(expectStatus) === undefined || expectStatus.length > 200) {
    throw new ControlError(`The expected status "${expectStatus}" must be like 200-299,404.`);
  }
  checkRange('The expected body', expectBody.length, 0, monitorLimits.expectBodyChars, 'characters');
  if (expectBody !== '' && method === 'HEAD') {
    throw new ControlError('The answer to HEAD has no body that could be expected.');
  }
  checkRange(
    'The days before the end of a certificate',
    tlsExpiryDays,
    0,
    monitorLimits.tlsExpiryDaysMax,
    '',
  );
  return { method, expectStatus, expectBody: expectBody || null, tlsExpiryDays: tlsExpiryDays || null };
}

function readHeartbeat(settings: MonitorSettings, before?: HeartbeatOptions): HeartbeatOptions {
  const periodSeconds = settings.periodSeconds ?? before?.periodSeconds;
  const graceSeconds = settings.graceSeconds ?? before?.graceSeconds ?? monitorDefaults.graceSeconds;
  if (periodSeconds === undefined) throw new ControlError('A monitor of type heartbeat needs a period.');
  const { periodSecondsMin, periodSecondsMax, graceSecondsMax } = monitorLimits;
  checkRange('The period', periodSeconds, periodSecondsMin, periodSecondsMax, 'seconds');
  checkRange('The grace', graceSeconds, 0, graceSecondsMax, 'seconds');
  return { periodSeconds, graceSeconds };
}

/** Headers that belong to the connection, not to what is asked. */
const connectionHeaders =
  /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

/**
 * The secrets of a request after a change; null when it has none. Sentences of errors hold no value of them.
 *
 * @throws ControlError for headers that HTTP does not have, and for too much.
 */
export function readSecrets(settings: MonitorSettings, before: RequestSecrets | null): RequestSecrets | null {
  const headers = settings.headers ?? before?.headers ?? [];
  const body = settings.body ?? before?.body ?? '';
  for (const [name, value] of headers) checkHeader(name, value);
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  checkRange('The number of headers', headers.length, 0, monitorLimits.headers, '');
  checkRange('The size of all headers', bytes, 0, monitorLimits.headerBytes, 'bytes');
  checkRange('The body', Buffer.byteLength(body), 0, monitorLimits.requestBodyBytes, 'bytes');
  return headers.length === 0 && body === '' ? null : { headers, body: body || null };
}

function checkHeader(name: string, value: string): void {
  if (connectionHeaders.test(name)) throw new ControlError(`The header "${name}" cannot be set.`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new ControlError(`The header "${name}" has a name or a value that HTTP does not allow.`);
  }
}

function checkRange(what: string, value: number, min: number, max: number, unit: string): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new ControlError(`${what} must be ${min} to ${max}${unit && ` ${unit}`}, not ${value}.`);
}

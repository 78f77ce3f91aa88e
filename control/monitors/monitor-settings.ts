import {
  type HeartbeatOptions,
  type HttpMethod,
  type HttpOptions,
  httpDefaults,
  isProbed,
  type MonitorKind,
  monitorDefaults,
  monitorLimits,
  type RequestSecrets,
  settingsOfKind,
} from '../../contract/monitors.js';
import { ServiceError } from '../../lib/service-error.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
import type { MonitorTarget } from './monitor.js';
import {
  completeTcpUrl,
  completeWebUrl,
  parseStatusRanges,
  parseTcpUrl,
  problemOfPort,
} from './parse-target.js';

/** The settings of a monitor of any kind, for creating or changing one. */
export type MonitorSettings = {
  name?: string;
  /** By language; an empty name removes the name in that language, and null all of them. */
  names?: Record<string, string> | null;
  /** Slug of the group that it goes to the end of; null for none. */
  group?: string | null;
  everySeconds?: number;
  timeoutMs?: number;
  failuresToDown?: number;
  /** A check that takes longer is slow; 0 when none is. */
  degradedOverMs?: number;
  /** Not shown in public. */
  hidden?: boolean;
  /** For visitors; an empty text for none. */
  description?: string;
  /** By language, as `names`. */
  descriptions?: Record<string, string> | null;
  /** Where visitors find the service; an empty text for nowhere. */
  link?: string;
  /** Slugs of other monitors; an empty list for none. */
  dependsOn?: readonly string[];
  url?: string;
  method?: HttpMethod;
  expectStatus?: string;
  /** An empty text accepts any response. */
  expectBody?: string;
  /** 0 fails a check only when the certificate has expired. */
  tlsExpiryDays?: number;
  /** Replaces all headers. */
  headers?: RequestSecrets['headers'];
  /** An empty text removes the body. */
  body?: string;
  periodSeconds?: number;
  graceSeconds?: number;
};

export type Timing = {
  everySeconds: number;
  timeoutMs: number;
  failuresToDown: number;
  /** null when no check is slow. */
  degradedOverMs: number | null;
};

const timingDefaults: Timing = { ...monitorDefaults, degradedOverMs: null };

/** @throws ServiceError `invalidBody` for a setting that monitors of the kind do not have. */
export function checkSettingsOfKind(kind: MonitorKind, settings: MonitorSettings): void {
  const own = new Set<string>(settingsOfKind[kind]);
  const foreign = Object.values(settingsOfKind)
    .flat()
    .filter((setting) => !own.has(setting));
  const wrong = foreign.find((setting) => settings[setting] !== undefined);
  if (wrong === undefined) return;
  throw invalidSetting(wrong, `A monitor of type ${kind} has no ${settingNames[wrong]}.`);
}

const settingNames: Record<(typeof settingsOfKind)[MonitorKind][number], string> = {
  everySeconds: 'interval',
  failuresToDown: 'number of failures',
  degradedOverMs: 'limit of its response time',
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

/** @throws ServiceError `invalidBody` when a value is out of range. */
export function parseTiming(
  kind: MonitorKind,
  settings: MonitorSettings,
  before: Timing = timingDefaults,
): Timing {
  const everySeconds = settings.everySeconds ?? before.everySeconds;
  const failuresToDown = settings.failuresToDown ?? before.failuresToDown;
  const timeoutMs = settings.timeoutMs ?? before.timeoutMs;
  const degradedOverMs = settings.degradedOverMs ?? before.degradedOverMs ?? 0;
  const { everySecondsMin, everySecondsMax, timeoutMsMin, timeoutMsMax, failuresToDownMax } = monitorLimits;
  checkRange('everySeconds', 'The interval', everySeconds, everySecondsMin, everySecondsMax, 'seconds');
  checkRange(
    'failuresToDown',
    'The failures in a row before it is down',
    failuresToDown,
    1,
    failuresToDownMax,
    '',
  );
  checkRange('timeoutMs', 'The timeout', timeoutMs, timeoutMsMin, timeoutMsMax, 'milliseconds');
  if (degradedOverMs !== 0) {
    checkRange(
      'degradedOverMs',
      'The limit of the response time',
      degradedOverMs,
      1,
      timeoutMs,
      'milliseconds (the timeout)',
    );
  }
  if (isProbed(kind) && timeoutMs > everySeconds * 1000) {
    throw invalidSetting(
      'timeoutMs',
      `The timeout of ${timeoutMs} ms is longer than the ${everySeconds} s from one check to the next.`,
    );
  }
  return { everySeconds, failuresToDown, timeoutMs, degradedOverMs: degradedOverMs || null };
}

/** @throws ServiceError `invalidBody` when a setting is missing or invalid. */
export function parseTarget(
  kind: MonitorKind,
  settings: MonitorSettings,
  before?: MonitorTarget,
): MonitorTarget {
  if (kind === 'manual') return { kind };
  if (kind === 'heartbeat') {
    return { kind, options: parseHeartbeat(settings, before?.kind === kind ? before.options : undefined) };
  }
  const given = settings.url ?? (before?.kind === kind ? before.url : undefined);
  if (given === undefined) throw invalidSetting('url', `A monitor of type ${kind} needs a URL.`);
  if (kind === 'tcp') return { kind, url: checkTcpUrl(completeTcpUrl(given)) };
  const url = completeWebUrl(given);
  const problem = problemOfPort(url) ?? problemOfOutboundUrl(url);
  if (problem !== undefined) throw invalidSetting('url', problem);
  return {
    kind,
    url: new URL(url).href,
    options: parseHttp(settings, before?.kind === kind ? before.options : undefined),
  };
}

function checkTcpUrl(url: string): string {
  if (url.length <= 300 && parseTcpUrl(url) !== undefined) return url;
  const problem = problemOfPort(url);
  if (problem !== undefined) throw invalidSetting('url', problem);
  throw invalidSetting('url', `"${url}" must be a host and a port, such as tcp://db.example.com:5432.`);
}

function parseHttp(settings: MonitorSettings, before = httpDefaults): HttpOptions {
  const { method = before.method, expectStatus = before.expectStatus } = settings;
  const expectBody = settings.expectBody ?? before.expectBody ?? '';
  const tlsExpiryDays = settings.tlsExpiryDays ?? before.tlsExpiryDays ?? 0;
  if (parseStatusRanges(expectStatus) === undefined || expectStatus.length > 200) {
    throw invalidSetting('expectStatus', `The expected status "${expectStatus}" must be like 200-299,404.`);
  }
  checkRange(
    'expectBody',
    'The expected body',
    expectBody.length,
    0,
    monitorLimits.expectBodyChars,
    'characters',
  );
  if (expectBody !== '' && method === 'HEAD') {
    throw invalidSetting('expectBody', 'The answer to HEAD has no body that could be expected.');
  }
  checkRange(
    'tlsExpiryDays',
    'The days before the end of a certificate',
    tlsExpiryDays,
    0,
    monitorLimits.tlsExpiryDaysMax,
    '',
  );
  return { method, expectStatus, expectBody: expectBody || null, tlsExpiryDays: tlsExpiryDays || null };
}

function parseHeartbeat(settings: MonitorSettings, before?: HeartbeatOptions): HeartbeatOptions {
  const periodSeconds = settings.periodSeconds ?? before?.periodSeconds;
  const graceSeconds = settings.graceSeconds ?? before?.graceSeconds ?? monitorDefaults.graceSeconds;
  if (periodSeconds === undefined)
    throw invalidSetting('periodSeconds', 'A monitor of type heartbeat needs a period.');
  const { periodSecondsMin, periodSecondsMax, graceSecondsMax } = monitorLimits;
  checkRange('periodSeconds', 'The period', periodSeconds, periodSecondsMin, periodSecondsMax, 'seconds');
  checkRange('graceSeconds', 'The grace', graceSeconds, 0, graceSecondsMax, 'seconds');
  return { periodSeconds, graceSeconds };
}

export function checkRange(
  field: keyof MonitorSettings,
  name: string,
  value: number,
  min: number,
  max: number,
  unit: string,
): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalidSetting(field, `${name} must be ${min} to ${max}${unit && ` ${unit}`}, not ${value}.`);
}

/** @param field its name, or its path in the settings */
export function invalidSetting(field: string, message: string): ServiceError {
  return new ServiceError('invalidBody', { field: `/${field}`, message });
}

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parseDocument } from 'yaml';
import type { FileMonitor } from '../../contract/manage/apply.js';
import { httpMethods, monitorLimits } from '../../contract/monitors.js';
import { describeFirstError } from '../../lib/parse-body.js';
import { UsageError } from '../core/errors.js';
import { type Collector, createCollector, type Imported, within } from './imported.js';

const Texts = Type.Record(Type.String(), Type.String());
const Endpoint = Type.Object({
  name: Type.String({ minLength: 1 }),
  enabled: Type.Optional(Type.Boolean()),
  group: Type.Optional(Type.String()),
  url: Type.String(),
  method: Type.Optional(Type.String()),
  interval: Type.Optional(Type.String()),
  headers: Type.Optional(Texts),
  body: Type.Optional(Type.String()),
  conditions: Type.Optional(Type.Array(Type.String())),
  client: Type.Optional(
    Type.Object({ timeout: Type.Optional(Type.String()), insecure: Type.Optional(Type.Boolean()) }),
  ),
  alerts: Type.Optional(Type.Array(Type.Object({ 'failure-threshold': Type.Optional(Type.Integer()) }))),
});
type Endpoint = Type.Static<typeof Endpoint>;
const ExternalEndpoint = Type.Object({
  name: Type.String({ minLength: 1 }),
  group: Type.Optional(Type.String()),
  heartbeat: Type.Optional(Type.Object({ interval: Type.Optional(Type.String()) })),
});
const Config = Type.Object({
  endpoints: Type.Optional(Type.Array(Endpoint)),
  'external-endpoints': Type.Optional(Type.Array(ExternalEndpoint)),
});

/**
 * What a page takes of a configuration of Gatus (https://github.com/TwiN/gatus#configuration).
 *
 * @throws UsageError for what is no such configuration
 */
export function importGatus(text: string): Imported {
  const value: unknown = parseDocument(text).toJS({ maxAliasCount: 100 });
  const check = Compile(Config);
  if (!check.Check(value)) {
    throw new UsageError(`This is no configuration of Gatus: ${describeFirstError(check, value)}`);
  }
  const into = createCollector();
  for (const endpoint of value.endpoints ?? []) takeEndpoint(endpoint, into);
  for (const { name, group, heartbeat } of value['external-endpoints'] ?? []) {
    const seconds = secondsOf(heartbeat?.interval);
    if (seconds === undefined) {
      into.leave(name, 'an external endpoint without a heartbeat has no period');
      continue;
    }
    const period = within(seconds, monitorLimits.periodSecondsMin, monitorLimits.periodSecondsMax);
    into.monitor({ type: 'heartbeat', name, ...groupOf(group, into), periodSeconds: period.value }, [
      'its job must call the new address',
    ]);
  }
  if (into.imported.left.length === 0 && Object.keys(into.imported.monitors).length === 0) {
    throw new UsageError('The configuration has no endpoints.');
  }
  return into.imported;
}

const groupOf = (group: string | undefined, into: Collector) =>
  group === undefined || group === '' ? {} : { group: into.group(group) };

function takeEndpoint(endpoint: Endpoint, into: Collector): void {
  const { name, url, group, enabled = true, client, alerts = [] } = endpoint;
  const scheme = /^([a-z]+):/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const isHttp = scheme === 'http' || scheme === 'https';
  if (!isHttp && scheme !== 'tcp' && scheme !== 'tls') {
    into.leave(name, `monitors have no checks for ${scheme || 'such addresses'}`);
    return;
  }
  if (/\$\{?[A-Z_]/.test(url)) {
    into.leave(name, 'its address has a variable of the environment');
    return;
  }
  const notes: string[] = [];
  const threshold = alerts.map((alert) => alert['failure-threshold']).find((one) => one !== undefined);
  const monitor: FileMonitor = {
    ...{ type: isHttp ? 'http' : 'tcp', name, ...groupOf(group, into) },
    url: scheme === 'tls' ? url.replace(/^tls:/i, 'tcp:') : url,
    ...timingOf(endpoint, notes),
    ...(threshold !== undefined && {
      failuresToDown: within(threshold, 1, monitorLimits.failuresToDownMax).value,
    }),
    ...(isHttp && requestOf(endpoint, notes)),
    ...conditionsOf(endpoint, isHttp, notes),
  };
  if (scheme === 'tls') notes.push('its certificate is not checked: only the connection is');
  if (client?.insecure === true) notes.push('a certificate that is not valid fails here');
  if (!enabled) notes.push('it was switched off: pause it with heartline monitor pause');
  into.monitor(monitor, notes);
}

function timingOf({ interval, client }: Endpoint, notes: string[]): Partial<FileMonitor> {
  const seconds = secondsOf(interval) ?? 60;
  const { everySecondsMin, everySecondsMax, timeoutMsMin, timeoutMsMax } = monitorLimits;
  const every = within(seconds, everySecondsMin, everySecondsMax);
  if (every.isChanged) notes.push(`it is checked every ${every.value} s, not every ${seconds} s`);
  const timeout = secondsOf(client?.timeout) ?? 10;
  const most = Math.min(timeoutMsMax, every.value * 1_000);
  return { everySeconds: every.value, timeoutMs: within(timeout * 1_000, timeoutMsMin, most).value };
}

function requestOf({ method = 'GET', headers, body }: Endpoint, notes: string[]): Partial<FileMonitor> {
  const known = httpMethods.find((one) => one === method.toUpperCase());
  if (known === undefined) notes.push(`the method ${method} is not there: GET takes its place`);
  return {
    method: known ?? 'GET',
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
  };
}

/** What the conditions of an endpoint ask for, as far as a monitor can ask the same. */
function conditionsOf({ conditions = [] }: Endpoint, isHttp: boolean, notes: string[]): Partial<FileMonitor> {
  const found: Partial<FileMonitor> = {};
  for (const condition of conditions) {
    const one = conditionOf(condition);
    const isTaken =
      one !== undefined &&
      (isHttp || !('expectStatus' in one || 'expectBody' in one || 'tlsExpiryDays' in one));
    if (isTaken) Object.assign(found, one);
    else if (condition.trim() !== '[CONNECTED] == true')
      notes.push(`the condition ${condition.trim()} is not checked`);
    if (one !== undefined && 'degradedOverMs' in one) {
      notes.push('a response that is too slow makes it degraded, and not down');
    }
  }
  return found;
}

function conditionOf(condition: string): Partial<FileMonitor> | undefined {
  const [, subject, sign, wanted = ''] =
    /^\s*(\[\w+\]|\[BODY\])\s*(==|!=|<=?|>=?)\s*(.*?)\s*$/.exec(condition) ?? [];
  if (subject === '[STATUS]') {
    const list = /^any\(([\d,\s]+)\)$/.exec(wanted)?.[1]?.replaceAll(/\s/g, '') ?? wanted;
    if (sign === '==' && /^\d{3}(,\d{3})*$/.test(list)) return { expectStatus: list };
    const bound = Number(wanted);
    if (sign === '<' && bound > 100 && bound <= 600) return { expectStatus: `100-${bound - 1}` };
    if (sign === '<=' && bound >= 100 && bound < 600) return { expectStatus: `100-${bound}` };
  }
  if (subject === '[RESPONSE_TIME]' && (sign === '<' || sign === '<=') && /^\d+$/.test(wanted)) {
    return { degradedOverMs: within(Number(wanted), 1, monitorLimits.timeoutMsMax).value };
  }
  if (subject === '[BODY]' && sign === '==') {
    const [, part] = /^pat\(\*([^*?]+)\*\)$/.exec(wanted) ?? [];
    if (part !== undefined) return { expectBody: part };
  }
  if (subject === '[CERTIFICATE_EXPIRATION]' && (sign === '>' || sign === '>=')) {
    const seconds = secondsOf(wanted);
    if (seconds !== undefined) {
      return { tlsExpiryDays: within(Math.ceil(seconds / 86_400), 1, monitorLimits.tlsExpiryDaysMax).value };
    }
  }
  return undefined;
}

const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** A duration of Go, such as `1m30s`, in seconds; `undefined` for anything else. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitSeconds[unit] ?? 1), 0);
}

import { FileError } from '../apply/read-file.js';
import type { FindVariable } from '../apply/variables.js';
import { conditionsOf, durationOf } from './gatus-conditions.js';
import { type GatusConfig, readGatusConfig } from './gatus-config.js';
import { gatusEndpointKeys, gatusExternalKeys, gatusKeys } from './gatus-keys.js';
import { type Collector, createCollector, type Imported, type Settings } from './imported.js';
import { isSet, type Keys, unknownKeys, unreadNotes, useOf } from './keys.js';
import {
  failuresOf,
  joinHeaders,
  methodOf,
  type Note,
  noteRedirects,
  periodOf,
  takeAddress,
  timingOf,
} from './request.js';
import { flagOf, listOf, numberOf, type Row, rowOf, textOf } from './values.js';

/** Gatus's defaults for an alert; it opens and closes an alert after so many checks in a row. */
const thresholds = { failures: 3, successes: 2 } as const;
const [intervalSeconds, timeoutSeconds, redirectsMax] = [60, 10, 10] as const;

type Context = { config: GatusConfig; into: Collector; defaultAlerts: ReadonlyMap<string, Row> };

/**
 * Imports a configuration of Gatus (https://github.com/TwiN/gatus#configuration).
 *
 * @param find looks up a variable of the environment
 * @throws FileError for what is no such configuration
 */
export function importGatus(text: string, find: FindVariable): Imported {
  const config = readGatusConfig(text, find);
  const { value } = config;
  const into = createCollector();
  for (const key of ['endpoints', 'services', 'external-endpoints', 'suites']) {
    if (isSet(value[key]) && !Array.isArray(value[key])) {
      throw new FileError(`This is no configuration of Gatus: ${key} is no list.`);
    }
  }
  for (const [key, held] of Object.entries(value)) {
    if (useOf(gatusKeys, key) !== 'noted' || !isSet(held)) continue;
    into.note(`${config.show(key)} is not read: ${sections[key] ?? 'it is not known'}`);
  }
  const alerting = Object.entries(rowOf(value['alerting']));
  const defaultAlerts = new Map(alerting.map(([type, held]) => [type, rowOf(rowOf(held)['default-alert'])]));
  const context = { config, into, defaultAlerts };
  const endpoints = [...listOf(value['endpoints']), ...listOf(value['services'])].map(rowOf);
  for (const [index, row] of endpoints.entries()) takeEndpoint(row, `endpoint ${index + 1}`, context);
  for (const [index, held] of listOf(value['external-endpoints']).entries()) {
    takeExternal(rowOf(held), `external endpoint ${index + 1}`, context);
  }
  for (const [index, suite] of listOf(value['suites']).map(rowOf).entries()) {
    const name = config.show(textOf(suite['name'])) || `suite ${index + 1}`;
    into.leave(name, 'a suite makes requests that depend on each other, which monitors here do not');
  }
  const { left, monitors } = into.imported;
  if (left.length === 0 && monitors.length === 0) throw new FileError('The configuration has no endpoints.');
  return into.imported;
}

const sections: Readonly<Record<string, string>> = {
  alerting: 'make channels with heartline channel create',
  maintenance: 'plan maintenance here, which may recur',
  remote: 'endpoints of other instances are imported from their own configurations',
  connectivity: 'checks go on while the connection of the server is down',
  security: 'people sign in, and a page may be private',
  tunneling: 'requests go straight to their targets here',
  announcements: 'write incidents in their place',
  kubernetes: 'services are not looked for in a cluster',
};

/** A text of the configuration as it was meant; nothing prints it when a variable is in it. */
const resolved = ({ config }: Context, value: unknown) => {
  const text = config.resolve(textOf(value));
  return text === '~' || text === 'null' ? '' : text;
};

/** The settings that all endpoints share. `undefined` when the endpoint was left. */
function commonOf(row: Row, place: string, keys: Keys, context: Context) {
  const { config, into } = context;
  const shown = config.show(textOf(row['name'])).trim();
  const name = shown === '' || shown === '~' ? place : shown;
  const missing = config.missingIn(row);
  if (missing.length > 0) {
    const are = missing.length === 1 ? 'is' : 'are';
    into.leave(
      name,
      `${missing.join(', ')} of the environment ${are} not set: set what Gatus has, and import again`,
    );
    return undefined;
  }
  const notes: Note[] = name === place ? [{ mended: 'it has no name there: it is named by its place' }] : [];
  notes.push(...unreadNotes(unknownKeys(row, keys).map(config.show)));
  for (const [key, note] of Object.entries(ownNotes)) if (isSet(row[key])) notes.push(note);
  return {
    name: resolved(context, row['name']).trim() || place,
    ...{ shown: name, notes, group: resolved(context, row['group']) },
    isPaused: flagOf(resolved(context, row['enabled'])) === false,
  };
}

const ownNotes: Readonly<Record<string, string>> = {
  'maintenance-windows': 'its maintenance-windows are not read: plan maintenance that recurs here',
  ui: 'its ui is not read: what visitors see is set with hidden, description and link',
  'extra-labels': 'its extra-labels are not there',
  store: 'its store is not read: it is of suites',
  'always-run': 'its always-run is not read: it is of suites',
};

function takeExternal(row: Row, place: string, context: Context): void {
  const common = commonOf(row, place, gatusExternalKeys, context);
  if (common === undefined) return;
  const { name, shown, notes, group, isPaused } = common;
  const heartbeat = rowOf(row['heartbeat']);
  const seconds = durationOf(resolved(context, heartbeat['interval']));
  if (seconds === undefined || seconds === 0) {
    context.into.leave(shown, 'an external endpoint without a heartbeat has no period');
    return;
  }
  notes.push('its job must call the new address');
  notes.push(
    ...unreadNotes(unknownKeys(heartbeat, gatusExternalKeys, 'heartbeat.').map(context.config.show)),
  );
  const failuresToDown = thresholdOf(row, context, notes);
  const settings: Settings = {
    ...{ type: 'heartbeat', name, periodSeconds: periodOf(seconds, notes), failuresToDown },
  };
  context.into.monitor({ settings, group, isPaused, notes });
}

function takeEndpoint(row: Row, place: string, context: Context): void {
  const common = commonOf(row, place, gatusEndpointKeys, context);
  if (common === undefined) return;
  const { name, shown, notes, group, isPaused } = common;
  const { url, authorization } = takeAddress(resolved(context, row['url']));
  const scheme = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const isHttp = scheme === 'http' || scheme === 'https';
  if (isSet(row['dns']) || isSet(row['ssh']) || (!isHttp && scheme !== 'tcp' && scheme !== 'tls')) {
    const what = isSet(row['dns']) || scheme === '' ? 'such addresses' : scheme;
    context.into.leave(shown, `monitors have no checks for ${what}`);
    return;
  }
  const client = rowOf(row['client']);
  const followsRedirects = flagOf(resolved(context, client['ignore-redirect'])) !== true;
  clientNotes(row, client, context, notes);
  const timing = timingOf(
    {
      everySeconds: durationOf(resolved(context, row['interval'])) || intervalSeconds,
      timeoutSeconds: durationOf(resolved(context, client['timeout'])) || timeoutSeconds,
    },
    notes,
  );
  const conditions = conditionsOf(
    listOf(row['conditions']).map(textOf),
    { config: context.config, isHttp, followsRedirects, timeoutMs: timing.timeoutMs },
    notes,
  );
  if (conditions.expectStatus === '') {
    context.into.leave(shown, 'no status meets all of its conditions');
    return;
  }
  if (isHttp) {
    const { expectStatus = '' } = conditions;
    noteRedirects({ redirectsMax: followsRedirects ? redirectsMax : 0, expectStatus }, notes);
  }
  if (scheme === 'tls') notes.push('its certificate is not checked: only the connection is');
  if (authorization !== undefined)
    notes.push({ mended: 'the user name and the password of its address are sent in a header' });
  const settings: Settings = {
    ...{ type: isHttp ? 'http' : 'tcp', name, url: isHttp ? url : url.replace(/^\w+:/, 'tcp:'), ...timing },
    failuresToDown: thresholdOf(row, context, notes),
    ...(isHttp && requestOf(row, authorization, context, notes)),
    ...conditions,
  };
  const hasSecretUrl = context.config.hasVariable(textOf(row['url']));
  context.into.monitor({ settings, group, isPaused, hasSecretUrl, notes });
}

const clientSettings: Readonly<Record<string, string>> = {
  'proxy-url': 'it went through a proxy (proxy-url), and goes straight to its target here',
  oauth2: 'it signs in with oauth2, which monitors here do not',
  'identity-aware-proxy': 'it signs in with identity-aware-proxy, which monitors here do not',
  tls: 'it sends a certificate of its own (tls), which monitors here do not',
  tunnel: 'it went through a tunnel, and goes straight to its target here',
  'dns-resolver': 'its dns-resolver is not asked: names are resolved as the server does',
};

function clientNotes(row: Row, client: Row, context: Context, notes: Note[]): void {
  const isInsecure = [client['insecure'], row['insecure']].some((one) => flagOf(resolved(context, one)));
  if (isInsecure) notes.push('a certificate that is not valid fails here');
  for (const [key, note] of Object.entries(clientSettings)) if (isSet(client[key])) notes.push(note);
  const network = resolved(context, client['network']);
  if (network !== '' && network !== 'ip') notes.push(`it was reached over ${network} alone`);
  notes.push(...unreadNotes(unknownKeys(client, gatusEndpointKeys, 'client.').map(context.config.show)));
}

/** The failures after which the first alert that is switched on is sent. */
function thresholdOf(row: Row, context: Context, notes: Note[]): number {
  const alerts = listOf(row['alerts']).map((alert) => {
    const own = rowOf(alert);
    const usual = context.defaultAlerts.get(resolved(context, own['type'])) ?? {};
    return { own, get: (key: string) => resolved(context, isSet(own[key]) ? own[key] : usual[key]) };
  });
  const unknown = alerts.flatMap(({ own }) => unknownKeys(own, gatusEndpointKeys, 'alerts.'));
  notes.push(...unreadNotes([...new Set(unknown)].map(context.config.show)));
  const used = alerts.find(({ get }) => flagOf(get('enabled')) !== false);
  if (used === undefined) return thresholds.failures;
  const successes = numberOf(used.get('success-threshold')) || thresholds.successes;
  if (successes > 1) notes.push(`it is up after one check that passes, not after ${successes}`);
  if (alerts.some(({ get }) => isSet(get('minimum-reminder-interval')))) {
    notes.push('its alert was repeated, and is not here');
  }
  return failuresOf(numberOf(used.get('failure-threshold')) || thresholds.failures, notes);
}

function requestOf(
  row: Row,
  authorization: string | undefined,
  context: Context,
  notes: Note[],
): Partial<Settings> {
  const isGraphql = flagOf(resolved(context, row['graphql'])) === true;
  const url = resolved(context, row['url']);
  const text = resolved(context, row['body'])
    .replaceAll('[ENDPOINT_NAME]', () => resolved(context, row['name']))
    .replaceAll('[ENDPOINT_GROUP]', () => resolved(context, row['group']))
    .replaceAll('[ENDPOINT_URL]', () => url);
  if (/\[RANDOM_STRING_\d+\]/.test(text)) notes.push('the random text in its body is not made');
  const body = isGraphql ? JSON.stringify({ query: text }) : text;
  const own = Object.entries(rowOf(row['headers']));
  const headers = joinHeaders(
    authorization === undefined ? [] : [['Authorization', authorization]],
    isGraphql ? [['Content-Type', 'application/json']] : [],
    own.map(([name, value]) => [context.config.resolve(name), resolved(context, value)]),
  );
  return {
    method: methodOf(resolved(context, row['method']), notes),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== '' && { body }),
  };
}

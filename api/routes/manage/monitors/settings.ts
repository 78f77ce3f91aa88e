import type { ChangeMonitor, PutMonitor } from '../../../../contract/manage/monitors.js';
import { httpDefaults, monitorDefaults } from '../../../../contract/monitors.js';
import type { MonitorSettings } from '../../../../control/monitors/index.js';

/** The values that null stands for. */
const cleared = {
  everySeconds: monitorDefaults.everySeconds,
  failuresToDown: monitorDefaults.failuresToDown,
  timeoutMs: monitorDefaults.timeoutMs,
  degradedOverMs: 0,
  hidden: false,
  description: '',
  link: '',
  dependsOn: [],
  method: httpDefaults.method,
  expectStatus: httpDefaults.expectStatus,
  expectBody: '',
  tlsExpiryDays: 0,
  headers: [],
  body: '',
  graceSeconds: monitorDefaults.graceSeconds,
} as const satisfies MonitorSettings;

/** The settings of a change: a field with null goes back to its default. */
export function settingsOfChange({
  headers,
  names,
  descriptions,
  ...fields
}: ChangeMonitor): MonitorSettings {
  const isCleared = (name: string): name is keyof typeof cleared => name in cleared;
  const given = Object.entries({ ...fields, ...(headers !== undefined && { headers: headersOf(headers) }) });
  return {
    ...Object.fromEntries(
      given.map(([name, value]) => [name, value === null && isCleared(name) ? cleared[name] : value]),
    ),
    ...(names !== undefined && { names: textsOf(names) }),
    ...(descriptions !== undefined && { descriptions: textsOf(descriptions) }),
  };
}

/** The settings of a whole monitor: a field with null is the same as one that is absent, except for secrets. */
export function settingsOfWhole({ name, names, descriptions, ...rest }: Omit<PutMonitor, 'slug' | 'type'>) {
  return { ...settingsOfTrial(rest), name, ...(names && { names }), ...(descriptions && { descriptions }) };
}

/** The settings of a check without the monitor; null is as in the settings of a whole one. */
export function settingsOfTrial({
  headers,
  body,
  ...rest
}: Omit<PutMonitor, 'slug' | 'type' | 'name' | 'names' | 'descriptions'>): MonitorSettings {
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  return {
    ...(Object.fromEntries(given) as MonitorSettings), // The fields without null are MonitorSettings.
    ...(headers !== undefined && { headers: headersOf(headers) ?? [] }),
    ...(body !== undefined && { body: body ?? '' }),
  };
}

function headersOf(headers: ChangeMonitor['headers']) {
  return headers?.map(({ name, value }) => [name, value] as const) ?? null;
}

function textsOf(texts: ChangeMonitor['names']): Record<string, string> | null {
  if (!texts) return null;
  return Object.fromEntries(Object.entries(texts).map(([language, text]) => [language, text ?? '']));
}

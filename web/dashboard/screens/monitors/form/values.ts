import type { ChangeMonitor, ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import {
  type HttpMethod,
  httpDefaults,
  type MonitorKind,
  monitorDefaults,
} from '../../../../../contract/monitors.js';
import { proposeSlug } from '../../../../../lib/slug.js';

export type Header = { name: string; value: string };

/** The fields of the form, of all kinds together. A number is null while its field is empty. */
export type MonitorValues = {
  name: string;
  /** null while nobody has chosen one, so that the name proposes it. */
  slug: string | null;
  /** By language; those without a name are absent. */
  names: Readonly<Record<string, string>>;
  /** Slug of a group; null for none. */
  group: string | null;
  url: string;
  everySeconds: number | null;
  failuresToDown: number | null;
  timeoutMs: number | null;
  method: HttpMethod;
  expectStatus: string;
  expectBody: string;
  tlsExpiryDays: number | null;
  /** null when no check is slow. */
  degradedOverMs: number | null;
  hidden: boolean;
  description: string;
  /** By language, as the names. */
  descriptions: Readonly<Record<string, string>>;
  link: string;
  /** Slugs of other monitors. */
  dependsOn: readonly string[];
  /** null keeps those that are saved, which nobody can read. */
  headers: readonly Header[] | null;
  /** null as for the headers. */
  body: string | null;
  periodSeconds: number | null;
  graceSeconds: number | null;
};

export type MonitorField = keyof MonitorValues;

/** Fields that no browser keeps. */
export const secretFields = ['headers', 'body'] as const;

/** A monitor before anything is entered. */
export const emptyValues: MonitorValues = {
  ...{ name: '', slug: null, names: {}, group: null, url: '', ...monitorDefaults, ...httpDefaults },
  ...{ expectBody: '', headers: [], body: '', periodSeconds: 86_400, graceSeconds: 3_600 },
  ...{ degradedOverMs: null, hidden: false, description: '', descriptions: {}, link: '', dependsOn: [] },
};

const usual = ['everySeconds', 'failuresToDown'] as const;
const fieldsOfKind = {
  http: [
    ...usual,
    ...([
      'url',
      'timeoutMs',
      'degradedOverMs',
      'method',
      'expectStatus',
      'expectBody',
      'tlsExpiryDays',
    ] as const),
    ...secretFields,
  ],
  tcp: [...usual, 'url', 'timeoutMs', 'degradedOverMs'],
  heartbeat: [...usual, 'periodSeconds', 'graceSeconds'],
  manual: [],
} as const satisfies Record<MonitorKind, readonly MonitorField[]>;

/** The fields that say what is checked, and how. */
export function targetFieldsOf(kind: MonitorKind): readonly MonitorField[] {
  return fieldsOfKind[kind];
}

export function slugOf({ slug, name }: MonitorValues): string {
  return slug ?? proposeSlug(name, 'monitor');
}

/** A saved monitor as the form has it. */
export function valuesOf(monitor: ManagedMonitor): MonitorValues {
  const { name, slug, names, group, url, hasSecrets = false } = monitor;
  const { hidden, description, descriptions, link } = monitor;
  return {
    ...emptyValues,
    ...{ name, slug, names, group, url: url ?? '', hidden, description, descriptions, link: link ?? '' },
    dependsOn: monitor.dependsOn,
    everySeconds: monitor.everySeconds ?? emptyValues.everySeconds,
    failuresToDown: monitor.failuresToDown ?? emptyValues.failuresToDown,
    degradedOverMs: monitor.degradedOverMs ?? null,
    timeoutMs: monitor.timeoutMs ?? emptyValues.timeoutMs,
    method: monitor.method ?? emptyValues.method,
    expectStatus: monitor.expectStatus ?? emptyValues.expectStatus,
    expectBody: monitor.expectBody ?? '',
    tlsExpiryDays: monitor.tlsExpiryDays ?? null,
    periodSeconds: monitor.periodSeconds ?? emptyValues.periodSeconds,
    graceSeconds: monitor.graceSeconds ?? emptyValues.graceSeconds,
    ...(hasSecrets && { headers: null, body: null }),
  };
}

/** Returns the settings of a monitor for the API, without those that stay as they are saved. */
export function settingsOf(kind: MonitorKind, values: MonitorValues): object {
  const given = fieldsOfKind[kind].map((field): [string, unknown] => [field, apiValue(field, values)]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function apiValue(field: MonitorField, values: MonitorValues): unknown {
  if (field === 'headers') return values.headers?.filter(({ name, value }) => name !== '' || value !== '');
  if (field === 'body') return values.body ?? undefined;
  if (field === 'url') return values.url.trim();
  return values[field];
}

/** The whole of a new monitor. */
export function bodyOfNew(kind: MonitorKind, values: MonitorValues): object {
  const { name, names, group, hidden, description, descriptions, link, dependsOn } = values;
  return {
    ...{ slug: slugOf(values), type: kind, name: name.trim(), names, group, hidden, descriptions },
    ...{ description: description.trim(), link: link.trim(), dependsOn, ...settingsOf(kind, values) },
  };
}

/** A change of some fields. An empty name in a language removes the one that is saved. */
export function bodyOfChange(
  changes: Partial<MonitorValues>,
  values: MonitorValues,
  saved: Pick<ManagedMonitor, 'type' | 'names' | 'descriptions'>,
): ChangeMonitor {
  const settings = Object.entries(settingsOf(saved.type, values)).filter(([field]) => field in changes);
  return {
    ...Object.fromEntries(settings),
    ...('name' in changes && { name: values.name.trim() }),
    ...('group' in changes && { group: values.group }),
    ...('hidden' in changes && { hidden: values.hidden }),
    ...('description' in changes && { description: values.description.trim() }),
    ...('link' in changes && { link: values.link.trim() }),
    ...('dependsOn' in changes && { dependsOn: [...values.dependsOn] }),
    ...('names' in changes && { names: withRemoved(values.names, saved.names) }),
    ...('descriptions' in changes && {
      descriptions: withRemoved(values.descriptions, saved.descriptions),
    }),
  };
}

type TextsByLanguage = Readonly<Record<string, string>>;

/** Texts by language, with null for each that is saved and no longer there. */
function withRemoved(texts: TextsByLanguage, saved: TextsByLanguage): Record<string, string | null> {
  const removed = Object.keys(saved).filter((language) => !(language in texts));
  return { ...texts, ...Object.fromEntries(removed.map((language) => [language, null])) };
}

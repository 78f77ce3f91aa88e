import {
  type ContactWay,
  type ContactWayKind,
  type CreateContactWay,
  contactWayNames,
} from '../../../../../contract/manage/contact-ways.js';
import { type AlertSeverity, alertSeverities } from '../../../../../contract/manage/shared.js';
import { type FieldErrors, fieldErrorOf, type ReadError } from '../../../reads/fetch-json.js';
import type { WaysTexts } from './texts.js';

/** The settings of a way, in the order of the form; an empty text stands for one that is not given. */
const fieldsOfKind = {
  email: { needs: [], may: ['to'] },
  ntfy: { needs: ['topic'], may: ['server', 'token'] },
  pushover: { needs: ['token', 'user'], may: [] },
  telegram: { needs: ['token', 'chat'], may: ['server'] },
  webhook: { needs: ['url'], may: ['secret'] },
  sms: { needs: ['to'], may: [] },
  voice: { needs: ['to'], may: [] },
} as const satisfies Record<ContactWayKind, { needs: readonly string[]; may: readonly string[] }>;

type Shape = (typeof fieldsOfKind)[ContactWayKind];
export type WayField = Shape['needs'][number] | Shape['may'][number];

const noSettings: Record<WayField, string> = {
  ...{ to: '', server: '', topic: '', token: '', chat: '', user: '', url: '', secret: '' },
};
/** No answer shows them again. */
export const secretFields = [
  'topic',
  'token',
  'user',
  'url',
  'secret',
] as const satisfies readonly WayField[];

export type WayValues = Record<WayField, string> & {
  kind: ContactWayKind;
  name: string;
  severities: AlertSeverity[];
  isQuiet: boolean;
  quietFrom: string;
  quietTo: string;
  timeZone: string;
};

const usualHours = { quietFrom: '22:00', quietTo: '07:00' };
const zoneOfBrowser = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function newWay(kind: ContactWayKind): WayValues {
  return {
    ...{ kind, name: '', ...noSettings, severities: [...alertSeverities] },
    ...{ isQuiet: false, ...usualHours, timeZone: zoneOfBrowser() },
  };
}

/** Secrets are not shown again, so their fields are empty. */
export function valuesOf({ kind, name, settings, severities, quietHours }: ContactWay): WayValues {
  return {
    ...{ kind, name, ...noSettings, ...settings, severities: [...severities] },
    isQuiet: quietHours !== null,
    quietFrom: quietHours?.from ?? usualHours.quietFrom,
    quietTo: quietHours?.to ?? usualHours.quietTo,
    timeZone: quietHours?.timeZone ?? zoneOfBrowser(),
  };
}

/** The settings that a kind has. */
export function fieldsOf(kind: ContactWayKind): { field: WayField; isNeeded: boolean }[] {
  const { needs, may } = fieldsOfKind[kind];
  return [
    ...needs.map((field) => ({ field, isNeeded: true })),
    ...may.map((field) => ({ field, isNeeded: false })),
  ];
}

export const isSecret = (field: WayField): boolean => secretFields.some((one) => one === field);

const quietHoursOf = ({ isQuiet, quietFrom, quietTo, timeZone }: WayValues) =>
  isQuiet ? { from: quietFrom, to: quietTo, timeZone } : null;

/** The body that creates a way. */
export function bodyOf(values: WayValues): CreateContactWay {
  const { kind, name, severities } = values;
  const given = fieldsOf(kind)
    .map(({ field }) => [field, values[field].trim()] as const)
    .filter(([, value]) => value !== '');
  return {
    ...{ kind, name: name.trim() || contactWayNames[kind], severities, quietHours: quietHoursOf(values) },
    ...(given.length > 0 && { settings: Object.fromEntries(given) }),
  };
}

/** The body of a change: a setting that was emptied is removed, but a secret that is empty stays. */
export function changesOf(changes: Partial<WayValues>, values: WayValues): object {
  const settings = fieldsOf(values.kind).flatMap(({ field }) => {
    const value = values[field].trim();
    if (!(field in changes) || (value === '' && isSecret(field))) return [];
    return [[field, value === '' ? null : value] as const];
  });
  const isQuietChanged = ['isQuiet', 'quietFrom', 'quietTo', 'timeZone'].some((field) => field in changes);
  return {
    ...('name' in changes && { name: values.name.trim() || contactWayNames[values.kind] }),
    ...('severities' in changes && { severities: values.severities }),
    ...(settings.length > 0 && { settings: Object.fromEntries(settings) }),
    ...(isQuietChanged && { quietHours: quietHoursOf(values) }),
  };
}

/** Returns the problems of a way before it is sent. The secrets of an existing one may stay empty. */
export function checkWay(values: WayValues, texts: WaysTexts, isNew: boolean): FieldErrors {
  const missing = fieldsOf(values.kind)
    .filter(({ field, isNeeded }) => isNeeded && (isNew || !isSecret(field)) && values[field].trim() === '')
    .map(({ field }) => [field, texts.needed] as const);
  return {
    ...Object.fromEntries(missing),
    ...(values.severities.length === 0 && { severities: texts.noSeverity }),
    ...(values.isQuiet && values.quietFrom === values.quietTo && { quietTo: texts.sameHours }),
  };
}

/** The form has the settings beside the other fields. */
export function explainWay(error: ReadError): FieldErrors | undefined {
  const { path: [of, field = ''] = [], problem = '' } = fieldErrorOf(error) ?? {};
  if (of === 'quietHours') return { quietTo: problem };
  if (of !== 'settings' || !(field in noSettings)) return undefined;
  return { [field]: problem.replace(`"${field}" `, '') };
}

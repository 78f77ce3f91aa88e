import {
  type ChannelField,
  type ChannelKind,
  type ChannelSettings,
  channelFields,
  channelRegions,
  channelTopics,
  secretChannelFields,
} from '../../../../contract/channels.js';
import type { ManagedChannel } from '../../../../contract/manage/channels.js';
import { type FieldErrors, fieldErrorOf, type ReadError } from '../../reads/fetch-json.js';
import type { ChannelsTexts } from './texts.js';

/** A channel as its form has it: an empty text stands for a setting that is not given. */
export type ChannelValues = Record<Exclude<ChannelField, 'region'>, string> & {
  kind: ChannelKind;
  name: string;
  region: NonNullable<ChannelSettings['region']>;
  isEvery: boolean;
  topics: string[];
  isQuiet: boolean;
  quietFrom: string;
  quietTo: string;
};

const noSettings = {
  ...{
    url: '',
    server: '',
    topic: '',
    token: '',
    chat: '',
    user: '',
    routingKey: '',
    apiKey: '',
    secret: '',
  },
  region: channelRegions[0],
};
const usualHours = { quietFrom: '22:00', quietTo: '07:00' };

export const newChannel: ChannelValues = {
  ...{ kind: 'slack', name: '', ...noSettings, isEvery: true, topics: [...channelTopics] },
  ...{ isQuiet: false, ...usualHours },
};

/** Secrets are not shown again, so their fields are empty. */
export function valuesOf({ kind, name, settings, topics, quietHours }: ManagedChannel): ChannelValues {
  return {
    ...{ kind, name, ...noSettings, ...settings },
    ...{ isEvery: topics === null, topics: topics ?? [...channelTopics] },
    isQuiet: quietHours !== null,
    quietFrom: quietHours?.from ?? usualHours.quietFrom,
    quietTo: quietHours?.to ?? usualHours.quietTo,
  };
}

/** The settings that a kind has, in the order of its form. */
export function fieldsOf(kind: ChannelKind): { field: ChannelField; isNeeded: boolean }[] {
  const { needs, may } = channelFields[kind];
  return [
    ...needs.map((field) => ({ field, isNeeded: true })),
    ...may.map((field) => ({ field, isNeeded: false })),
  ];
}

export const isSecret = (field: ChannelField): boolean => secretChannelFields.some((one) => one === field);

/** The settings of a new channel: those that were given. */
export function settingsOf(values: ChannelValues): ChannelSettings {
  const given = fieldsOf(values.kind).map(({ field }) => [field, values[field].trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The settings that a change has: a field that was emptied is removed, but a secret that is empty stays. */
export function changedSettings(changes: Partial<ChannelValues>, values: ChannelValues): object | undefined {
  const changed = fieldsOf(values.kind).flatMap(({ field }) => {
    if (!(field in changes)) return [];
    const value = values[field].trim();
    if (value === '' && isSecret(field)) return [];
    return [[field, value === '' ? null : value] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

export const topicsOf = ({ isEvery, topics }: ChannelValues): string[] | null => (isEvery ? null : topics);

export function quietHoursOf({ isQuiet, quietFrom, quietTo }: ChannelValues) {
  return isQuiet ? { from: quietFrom, to: quietTo } : null;
}

/** Returns the problems of a channel before it is sent. The secrets of an existing one may stay empty. */
export function checkChannel(values: ChannelValues, texts: ChannelsTexts, isNew: boolean): FieldErrors {
  const missing = fieldsOf(values.kind)
    .filter(({ field, isNeeded }) => isNeeded && (isNew || !isSecret(field)) && values[field].trim() === '')
    .map(({ field }) => [field, texts.needed] as const);
  return {
    ...Object.fromEntries(missing),
    ...(!values.isEvery && values.topics.length === 0 && { topics: texts.noTopics }),
    ...(values.isQuiet && values.quietFrom === values.quietTo && { quietTo: texts.sameHours }),
  };
}

/** The form has the settings beside the other fields. */
export function explainChannel(error: ReadError): FieldErrors | undefined {
  const { path: [of, field = ''] = [], problem = '' } = fieldErrorOf(error) ?? {};
  if (of !== 'settings' || !(field in noSettings)) return undefined;
  return { [field]: problem.replace(`"${field}": `, '') };
}

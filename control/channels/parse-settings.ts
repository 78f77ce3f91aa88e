import {
  type ChannelField,
  type ChannelKind,
  type ChannelSettings,
  type ChannelTopic,
  channelFields,
  channelNames,
  channelRegions,
  channelTopics,
  secretChannelFields,
} from '../../contract/channels.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
import { composeRequest } from './formats/compose-request.js';
import type { ProviderOrigins } from './formats/message.js';
import { testMessage } from './test-message.js';

/** Changes of settings: null removes a field. */
export type SettingsChange = { [Field in ChannelField]?: ChannelSettings[Field] | null };

/** Settings that have been checked. `open` holds the ones that may be shown, `host` the host that messages go to. */
export type ParsedSettings = { settings: ChannelSettings; open: ChannelSettings; host: string };

/**
 * Checks the settings of a channel: that it has the fields of its kind and no others, each in its form. `before` are
 * those that it has, which stay unless they are changed.
 *
 * @throws ServiceError `invalidBody`, naming the field; no message holds a secret.
 */
export function parseSettings(
  kind: ChannelKind,
  change: SettingsChange,
  { before = {}, origins }: { before?: ChannelSettings | undefined; origins: ProviderOrigins },
): ParsedSettings {
  const { needs, may } = channelFields[kind];
  const fields: readonly ChannelField[] = [...needs, ...may];
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  for (const [name] of merged) {
    if (!fields.some((field) => field === name)) throw noSuchField(kind, name, fields);
  }
  const settings: ChannelSettings = Object.fromEntries(
    merged.map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  );
  for (const field of needs) {
    if ((settings[field] ?? '') === '') throw invalid(`${channelNames[kind]} needs "${field}".`, field);
  }
  for (const field of fields) {
    const problem = settings[field] === undefined ? undefined : problemOf(kind, field, settings[field]);
    if (problem !== undefined) throw invalid(`"${field}": ${problem}`, field);
  }
  const open = Object.fromEntries(
    Object.entries(settings).filter(([name]) => !secretChannelFields.some((secret) => secret === name)),
  );
  const { host } = new URL(
    composeRequest(kind, testMessage({ page: '', key: '', at: 0, url: '' }), settings, origins).url,
  );
  return { settings, open, host };
}

function noSuchField(kind: ChannelKind, name: string, fields: readonly ChannelField[]): ServiceError {
  return invalid(`${channelNames[kind]} has no "${name}"; its settings are ${listOr(fields)}.`);
}

/** Forms as the providers document them; a value that cannot be right is refused here and not with the first message. */
const forms: {
  [Field in ChannelField]?: Partial<Record<ChannelKind | 'any', [form: RegExp, sentence: string]>>;
} = {
  topic: { any: [/^[-\w]{1,64}$/, 'A topic has up to 64 letters, digits, - and _.'] },
  chat: { any: [/^(?:-?\d{1,20}|@\w{5,32})$/, 'A chat is a number, or the @name of a public channel.'] },
  token: {
    telegram: [
      /^\d{1,20}:[-\w]{20,80}$/,
      'The token of a bot is a number, a colon and letters, from @BotFather.',
    ],
    pushover: [/^[A-Za-z0-9]{30}$/, 'The token of an application has 30 letters and digits.'],
    any: [/^[!-~]{1,256}$/, 'A token has no spaces.'],
  },
  user: { any: [/^[A-Za-z0-9]{30}$/, 'The key of a user or group has 30 letters and digits.'] },
  routingKey: { any: [/^[A-Za-z0-9]{32}$/, 'An integration key has 32 letters and digits.'] },
  apiKey: { any: [/^[-\w]{20,64}$/, 'An API key has 20 to 64 letters, digits, - and _.'] },
  secret: {
    any: [
      /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
      'A secret is whsec_ and 24 to 64 bytes in base64.',
    ],
  },
};

/** Returns why a value cannot be used, in a sentence that does not repeat it. */
function problemOf(kind: ChannelKind, field: ChannelField, value: string): string | undefined {
  if (field === 'url' || field === 'server') {
    const problem = problemOfOutboundUrl(value);
    // The sentence about a URL repeats it; text that was pasted by mistake may be a token.
    return problem?.replace(`"${value}" is not a URL;`, 'That is not a URL;');
  }
  if (field === 'region') {
    return channelRegions.some((region) => region === value)
      ? undefined
      : `The regions are ${listOr(channelRegions)}.`;
  }
  const [form, sentence] = forms[field]?.[kind] ?? forms[field]?.any ?? [];
  return form === undefined || form.test(value) ? undefined : sentence;
}

/**
 * Returns the topics of a channel in the order of the docs, each once; null for every topic.
 *
 * @throws ServiceError `invalidBody` for a name that is no topic, and for an empty list.
 */
export function parseTopics(names: readonly string[] | null): ChannelTopic[] | null {
  if (names === null || (names.length === 1 && names[0] === 'all')) return null;
  for (const name of names) {
    if (channelTopics.some((topic) => topic === name)) continue;
    const near = nearestNames(name, channelTopics);
    throw new ServiceError('invalidBody', {
      field: '/topics',
      message: `There is no topic "${name.slice(0, 40)}".`,
      hint: `${near.length === 0 ? '' : `Did you mean ${listOr(near)}? `}The topics are ${channelTopics.join(', ')}; all stands for every one.`,
    });
  }
  if (names.length === 0) throw invalid('Name at least one topic, or null for every one.');
  return channelTopics.filter((topic) => names.includes(topic));
}

function invalid(message: string, setting?: ChannelField): ServiceError {
  return new ServiceError('invalidBody', { message, field: setting && `/settings/${setting}` });
}

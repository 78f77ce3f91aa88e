import { channelTopics, secretChannelFields } from '../../contract/channels.js';
import type { ApplyFile, FileChannel } from '../../contract/manage/apply.js';
import type { ManagedChannel, PutManagedChannel } from '../../contract/manage/channels.js';
import { normalUrl } from './normal-form.js';
import type { FilePath } from './read-file.js';
import type { Resolve } from './variables.js';

export type DesiredChannel = {
  name: string;
  fields: Readonly<Record<string, unknown>>;
  /** The body that creates or replaces it. */
  put: PutManagedChannel & { settings: NonNullable<PutManagedChannel['settings']> };
  /** Whether `put` has secrets, which nobody can compare with those that are stored. */
  sendsSecrets: boolean;
  path: FilePath;
};

export function toChannels(channels: NonNullable<ApplyFile['channels']>, resolve: Resolve): DesiredChannel[] {
  return Object.entries(channels).map(([key, channel]) => {
    const name = key.trim();
    const { kind, topics, quietHours, enabled = true } = channel;
    const settings = Object.fromEntries(
      Object.entries(channel.settings ?? {}).map(([field, value]) => [field, resolve(value)]),
    );
    const put = {
      ...{ kind, settings, enabled, topics: topics === undefined ? null : [...topics] },
      quietHours: quietHours ?? null,
    };
    return {
      ...{ name, put, path: ['channels', key] },
      fields: channelFieldsOf({ ...put, name }),
      sendsSecrets: secretChannelFields.some((field) => field in settings),
    };
  });
}

type Shown = Pick<ManagedChannel, 'name' | 'kind' | 'topics' | 'quietHours' | 'enabled'> & {
  settings: Readonly<Record<string, string>>;
};

/** The settings of a channel that may be shown, of a file or of the service, with every default. */
export function channelFieldsOf({ kind, settings, topics, quietHours, enabled }: Shown | ManagedChannel) {
  const { server, chat, region } = { ...settings } as Partial<Record<string, string>>; // A kind may lack them.
  const known: readonly string[] = channelTopics;
  return {
    ...{ kind, server: server === undefined ? null : normalUrl(server), chat: chat ?? null },
    ...{ region: region ?? null, quietHours, enabled },
    topics: topics && [...new Set(topics)].sort((one, other) => known.indexOf(one) - known.indexOf(other)),
  };
}

/** A channel as a file says it, without its secrets. */
export function fileChannelOf({ kind, settings, topics, quietHours, enabled }: ManagedChannel): FileChannel {
  return {
    kind,
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(topics !== null && { topics: [...topics] }),
    ...(quietHours !== null && { quietHours }),
    ...(!enabled && { enabled }),
  };
}

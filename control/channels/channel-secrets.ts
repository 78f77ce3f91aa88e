import { type ChannelField, type ChannelSettings, secretChannelFields } from '../../contract/channels.js';
import type { ChannelId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { openColumn, sealColumn } from '../../sql/sealed-columns.js';
import type { SettingsChange } from './parse-settings.js';

/** Encrypts the settings of a channel for its row. */
export function sealSettings(secretKey: string, id: ChannelId, settings: ChannelSettings): Buffer {
  return sealColumn(secretKey, 'channel', id, JSON.stringify(settings));
}

/** Returns `undefined` when the settings were sealed with another secret key. */
export function openSettings(
  secretKey: string,
  id: ChannelId,
  sealed: Uint8Array,
): ChannelSettings | undefined {
  try {
    return JSON.parse(openColumn(secretKey, 'channel', id, sealed));
  } catch {
    return undefined;
  }
}

/** Secrets that messages carry to a server. The URL of a webhook is its own secret, and a signing secret is not sent. */
const sent: readonly ChannelField[] = secretChannelFields.filter(
  (field) => field !== 'url' && field !== 'secret',
);

/**
 * A caller who may change a channel must not learn its token by naming a server of their own. Operators at the shell can
 * read it anyway.
 *
 * @param settings the settings before and after the change; `given` holds the fields that the caller sent.
 * @throws ServiceError `invalidBody` when messages go to another server, unless the change gives every secret again.
 */
export function refuseKeptSecretsElsewhere(
  { before, after }: { before: ChannelSettings | undefined; after: ChannelSettings },
  given: SettingsChange,
): void {
  if (originOf(before) === originOf(after)) return;
  const kept = sent.filter((field) => before?.[field] !== undefined && given[field] === undefined);
  if (kept.length === 0) return;
  const names = kept.map((field) => `"${field}"`).join(' and ');
  throw new ServiceError('invalidBody', {
    field: `/settings/${kept[0]}`,
    message: `This channel has secrets that are not sent to another server unasked. Send ${names} with the new "server".`,
  });
}

/** The server that a channel names; `undefined` for a server of the provider, in whichever region. */
function originOf(settings: ChannelSettings | undefined): string | undefined {
  return settings?.server === undefined ? undefined : new URL(settings.server).origin;
}

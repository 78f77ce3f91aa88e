import { isDeepStrictEqual } from 'node:util';
import { type ChannelSettings, secretChannelFields } from '../../contract/channels.js';
import { type ChannelId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { type ChannelChanges, changeChannelIn } from './change-channel.js';
import { refuseKeptSecretsElsewhere } from './channel-secrets.js';
import { type ChannelDeps, type ChannelInput, createChannelIn, parseName } from './create-channel.js';
import { type ListedChannel, loadChannel, lockChannel } from './find-channels.js';
import { providerOrigins } from './formats/message.js';
import { parseSettings, parseTopics } from './parse-settings.js';

export type PutChannelInput = ChannelInput & { pageId: PageId; enabled?: boolean };

/**
 * Creates the channel with this name, or replaces its settings: those that are absent go back to their defaults, and
 * secrets that are absent stay. The same again changes nothing.
 *
 * @param check gets the channel as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `conflict` when several channels have the name, and when the one with it is of another kind;
 *   otherwise as createChannel() and changeChannel() do; what `check` throws.
 */
export async function putChannel(
  deps: ChannelDeps,
  { enabled = true, ...input }: PutChannelInput,
  check?: (current: ListedChannel | undefined) => void,
): Promise<{ channel: ListedChannel; isNew: boolean }> {
  const name = input.name.trim();
  // PostgreSQL refuses to look for a NUL. Other wrong names may be stored, and their channels can be changed.
  if (name.includes('\0')) parseName(name);
  if (parseId(name) !== undefined) {
    throw new ServiceError('invalidBody', {
      message: 'PUT takes the name of a channel; PATCH takes its id.',
    });
  }
  return inTransaction(deps.sql, async (tx) => {
    // Every channel of the page is created behind this lock.
    await tx`select 1 from pages where id = ${input.pageId} for no key update`;
    const [found, twin] = await tx<{ id: ChannelId; kind: string }[]>`
      select id, kind from channels where page_id = ${input.pageId} and name = ${name} and subscriber_id is null`;
    if (twin !== undefined) {
      throw new ServiceError('conflict', {
        message: `The page has several channels with the name "${name}"; change one by its id.`,
      });
    }
    const current = found && (await loadChannel({ sql: tx }, { id: found.id, pageId: input.pageId }));
    check?.(current);
    if (current === undefined) {
      const channel = await createChannelIn(tx, deps, { ...input, name });
      const ref = { id: channel.id, pageId: input.pageId };
      return {
        channel: enabled ? channel : await changeChannelIn(tx, deps, { ...ref, enabled }),
        isNew: true,
      };
    }
    if (current.kind !== input.kind) {
      throw new ServiceError('conflict', {
        message: `The channel "${name}" is of the kind ${current.kind}, which cannot change; delete it first.`,
      });
    }
    const ref = { id: current.id, pageId: input.pageId };
    const { settings: known } = await lockChannel(tx, ref, deps.secretKey);
    const changes = changesOf(current, known, { ...input, enabled }, deps);
    const isSame = Object.keys(changes).length === 0;
    return {
      channel: isSame ? current : await changeChannelIn(tx, deps, { ...ref, ...changes }),
      isNew: false,
    };
  });
}

/** The fields that differ from the channel as it is. */
function changesOf(
  current: ListedChannel,
  known: ChannelSettings | undefined,
  { kind, settings, topics = null, quietHours = null, enabled }: PutChannelInput,
  { by, origins = providerOrigins }: ChannelDeps,
): ChannelChanges {
  const isSecret = (name: string) => secretChannelFields.some((field) => field === name);
  const before: ChannelSettings = Object.fromEntries(
    Object.entries(known ?? {}).filter(([name]) => isSecret(name)),
  );
  const wanted = parseSettings(kind, settings, { before, origins }).settings;
  if (by.type !== 'cli') refuseKeptSecretsElsewhere({ before: known, after: wanted }, settings);
  // An open setting that is absent goes back to its default.
  const dropped = Object.keys(known ?? {}).filter((name) => !(name in wanted));
  return {
    ...(!isDeepStrictEqual(wanted, known) && {
      settings: { ...Object.fromEntries(dropped.map((name) => [name, null])), ...wanted },
    }),
    ...(!isDeepStrictEqual(parseTopics(topics), current.topics) && { topics }),
    ...(!isDeepStrictEqual(quietHours, current.quietHours) && { quietHours }),
    ...(enabled !== (current.disabledAt === null) && { enabled }),
  };
}

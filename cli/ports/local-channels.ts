import type { ChangeManagedChannel } from '../../contract/manage/channels.js';
import {
  type ChannelChanges,
  changeChannel,
  createChannel,
  deleteChannel,
  listChannels,
  listMessages,
  loadChannel,
  parseQuietHours,
  putChannel,
  testChannel,
  toManagedChannel,
  toManagedMessage,
} from '../../control/channels/index.js';
import { loadPageId } from '../../control/pages/index.js';
import type { CommandContext } from '../core/context.js';
import type { Channels } from './channel-port.js';
import { localRef } from './ref.js';

/** More than a page may have. */
const channelsMax = 1_000;

export function localChannels(context: CommandContext): Channels {
  const open = () => context.openControlWithSecrets();
  return {
    async create(page, { quietHours = null, ...input }) {
      const deps = await open();
      const pageId = await loadPageId(deps.sql, page);
      const channel = { ...input, pageId, quietHours: parseQuietHours(quietHours) };
      return toManagedChannel(await createChannel(deps, channel));
    },
    async put(page, name, { quietHours = null, settings = {}, ...input }) {
      const deps = await open();
      const pageId = await loadPageId(deps.sql, page);
      const wanted = { ...input, name, settings, pageId, quietHours: parseQuietHours(quietHours) };
      return toManagedChannel((await putChannel(deps, wanted)).channel);
    },
    async list(page) {
      const { sql, pageId } = await context.openPage(page);
      const channels = await listChannels({ sql }, { pageId, limit: channelsMax });
      return channels.reverse().map(toManagedChannel);
    },
    async change(ref, changes) {
      const input = { ...(await localRef(context, ref)), ...parseChanges(changes) };
      return toManagedChannel(await changeChannel(await open(), input));
    },
    async remove(ref) {
      const deps = await open();
      const channel = await loadChannel(deps, await localRef(context, ref));
      await deleteChannel(deps, { id: channel.id, pageId: channel.pageId });
      return toManagedChannel(channel);
    },
    async test(ref) {
      return testChannel(await open(), await localRef(context, ref));
    },
    async messages(ref, limit) {
      const input = { ...(await localRef(context, ref)), limit };
      return (await listMessages(await open(), input)).map(toManagedMessage);
    },
  };
}

function parseChanges({ quietHours, ...changes }: ChangeManagedChannel): ChannelChanges {
  return quietHours === undefined ? changes : { ...changes, quietHours: parseQuietHours(quietHours) };
}

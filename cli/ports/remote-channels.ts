import Type from 'typebox';
import { ManagedChannel, ManagedMessage } from '../../contract/manage/channels.js';
import { Nothing, type Remote } from '../remote/remote.js';
import type { Channels } from './channel-port.js';
import type { Ref } from './ref.js';

export function remoteChannels(remote: Remote): Channels {
  const answer = ManagedChannel;
  const listPath = async (page: string | undefined) => `${await remote.pathOf(page)}/channels`;
  const pathOf = async ({ id, page }: Ref) => `${await listPath(page)}/${encodeURIComponent(id)}`;
  return {
    create: async (page, body) => remote.send('POST', await listPath(page), { answer, body }),
    put: async (page, id, body) => remote.send('PUT', await pathOf({ id, page }), { answer, body }),
    list: async (page) => (await remote.list(await listPath(page), ManagedChannel)).reverse(),
    change: async (ref, body) => remote.send('PATCH', await pathOf(ref), { answer, body }),
    async remove(ref) {
      const path = await pathOf(ref);
      const channel = await remote.send('GET', path, { answer });
      await remote.send('DELETE', path, { answer: Nothing });
      return channel;
    },
    async test(ref) {
      const Queued = Type.Object({ messageId: Type.String() });
      return remote.send('POST', `${await pathOf(ref)}/test`, { answer: Queued });
    },
    messages: async (ref, limit) => remote.list(`${await pathOf(ref)}/messages`, ManagedMessage, limit),
  };
}

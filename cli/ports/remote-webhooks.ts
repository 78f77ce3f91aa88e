import Type from 'typebox';
import { ManagedDelivery, ManagedWebhook } from '../../contract/manage/webhooks.js';
import { Nothing, type Remote } from '../remote/remote.js';
import type { Ref } from './ref.js';
import type { Webhooks } from './webhook-port.js';

export function remoteWebhooks(remote: Remote): Webhooks {
  const answer = ManagedWebhook;
  const pathOf = async ({ id, page }: Ref) =>
    `${await remote.pathOf(page)}/webhooks/${encodeURIComponent(id)}`;
  const patch = async (ref: Ref, body: object) => remote.send('PATCH', await pathOf(ref), { answer, body });
  return {
    async create(page, body) {
      const Created = Type.Object({ id: Type.String(), secret: Type.String() });
      return remote.send('POST', `${await remote.pathOf(page)}/webhooks`, { answer: Created, body });
    },
    async list(page) {
      return (await remote.list(`${await remote.pathOf(page)}/webhooks`, ManagedWebhook)).reverse();
    },
    change: patch,
    enable: (ref) => patch(ref, { enabled: true }),
    disable: (ref) => patch(ref, { enabled: false }),
    async remove(ref) {
      const path = await pathOf(ref);
      const webhook = await remote.send('GET', path, { answer });
      await remote.send('DELETE', path, { answer: Nothing });
      return webhook;
    },
    async rotate(ref) {
      const Rotated = Type.Object({
        id: Type.String(),
        secret: Type.String(),
        previousSecretUntil: Type.Union([Type.String(), Type.Null()]),
      });
      return remote.send('POST', `${await pathOf(ref)}/rotate`, { answer: Rotated });
    },
    async test(ref) {
      const Queued = Type.Object({ deliveryId: Type.String() });
      return remote.send('POST', `${await pathOf(ref)}/test`, { answer: Queued });
    },
    async deliveries(ref, { state, limit }) {
      const filter = state === undefined ? '' : `?state=${state}`;
      return remote.list(`${await pathOf(ref)}/deliveries${filter}`, ManagedDelivery, limit);
    },
    async replay({ id, page, webhook }) {
      const path = `${await pathOf({ id: webhook ?? '', page })}/deliveries/${encodeURIComponent(id)}/replay`;
      return remote.send('POST', path, { answer: Type.Object({ id: Type.String() }) });
    },
  };
}

import Type, { type Static } from 'typebox';
import { announcementKinds } from '../contract/incidents.js';
import { ManagedDelivery, ManagedWebhook } from '../contract/manage/webhooks.js';
import { allEvents, deliveryStates, webhookLimits } from '../contract/webhooks.js';
import { type Client, Nothing, type Ref } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { formatFields, formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { nothingToChange } from './core/refusals.js';
import { pageOfIdOption, pageOption } from './page.js';

const deliveriesMax = 1_000;

const answer = ManagedWebhook;
const Created = Type.Object({ id: Type.String(), secret: Type.String() });
const Rotated = Type.Object({
  ...Created.properties,
  previousSecretUntil: Type.Union([Type.String(), Type.Null()]),
});
const Queued = Type.Object({ deliveryId: Type.String() });

const eventsOption = {
  value: 'EVENTS',
  help: `only these events, separated by commas: ${announcementKinds.join(', ')}; incident.* or maintenance.* for all of \
one type; ${allEvents} for every event, as at first`,
  parse: (text: string) => text.split(',').map((name) => name.trim()),
} as const;

export const webhookCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'webhook create',
    summary: 'notify a URL of the incidents of a page',
    help: 'Creates a webhook and prints the secret that signs its deliveries. The secret is shown only this once.',
    options: {
      page: { ...pageOption, help: 'the page whose incidents are delivered' },
      url: { value: 'URL', help: 'where deliveries are posted, http:// or https://', required: true },
      events: eventsOption,
    },
    json: '{"id", "secret"}',
    async run({ client }, { page: slug, ...settings }) {
      const { id, secret } = await createWebhook(client, await client.pathOf(slug), settings);
      const text = `${secret}\n\nThis is the secret of the webhook ${id} of ${slug}. It is not shown again.\n`;
      return { json: { id, secret }, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook list',
    summary: 'list the webhooks of a page',
    help: 'Lists the webhooks of a page, including disabled ones, oldest first.',
    options: { page: pageOption },
    json: '{"webhooks": [...]}',
    async run(context, { page: slug }) {
      const webhooks = await listWebhooks(context.client, await context.client.pathOf(slug));
      const rows = webhooks.map(({ id, url, events, createdAt, disabledAt, disabledReason }) => [
        ...[id, url, events?.join(',') ?? allEvents, createdAt],
        ...[disabledAt ?? '', disabledReason ?? ''],
      ]);
      const empty = `${slug} has no webhook yet; create one with: ${context.commandPrefix} webhook create`;
      return {
        json: { webhooks },
        text: formatTable(['ID', 'URL', 'EVENTS', 'CREATED', 'DISABLED', 'REASON'], rows, empty),
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook set',
    summary: 'change the URL or the events of a webhook',
    help: `Changes the settings that are named and keeps all others. Pending deliveries go to a new URL, signed with the same
secret; other events count from the next change on. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    options: {
      page: pageOfIdOption,
      url: { value: 'URL', help: 'where deliveries are posted, http:// or https://' },
      events: eventsOption,
    },
    json: '',
    async run({ client }, { id, page, ...changes }) {
      if (Object.keys(changes).length === 0) throw nothingToChange('--events incident.created');
      const webhook = await changeWebhook(client, { id, page }, changes);
      const { url, events } = webhook;
      const text = formatFields([
        ['id', webhook.id],
        ['url', url],
        ['events', events?.join(', ') ?? allEvents],
      ]);
      return { json: webhook, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook disable',
    summary: 'stop the deliveries of a webhook',
    help: `Stops a webhook. Pending deliveries wait until it is enabled again; later events are not delivered to it. ID is
as in: heartline webhook list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, ref) {
      const webhook = await changeWebhook(client, ref, { enabled: false });
      const text = `The webhook ${webhook.id} is disabled since ${webhook.disabledAt}.\n`;
      return { json: webhook, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook enable',
    summary: 'enable a disabled webhook',
    help: `Enables a webhook that was disabled by hand, or because its receiver answered 410. Deliveries that were pending
then are sent now. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, ref) {
      const webhook = await changeWebhook(client, ref, { enabled: true });
      return { json: webhook, text: `The webhook ${webhook.id} is enabled.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook rotate',
    summary: 'give a webhook a new secret',
    help: `Creates a new secret and prints it. The secret is shown only this once. For ${webhookLimits.overlapHours} hours, deliveries carry the
signatures of both secrets. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '{"id", "secret", "previousSecretUntil"}',
    async run({ client }, ref) {
      const path = `${await client.pathTo('webhook', ref)}/rotate`;
      const { id, secret, previousSecretUntil } = await client.send('POST', path, { answer: Rotated });
      const previous =
        previousSecretUntil === null
          ? 'No key of HEARTLINE_SECRET_KEY opens the previous secret, so it signs nothing.'
          : `The previous secret signs deliveries as well until ${previousSecretUntil}.`;
      const text = `${secret}\n\nThis is the new secret of the webhook ${id}. It is not shown again.\n${previous}\n`;
      return { json: { id, secret, previousSecretUntil }, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook test',
    summary: 'send a test delivery to a webhook',
    help: `Queues a delivery of the type webhook.test, which the running service sends within seconds. See the result with:
heartline webhook deliveries ID`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '{"deliveryId"}',
    async run({ client }, ref) {
      const path = `${await client.pathTo('webhook', ref)}/test`;
      const queued = await client.send('POST', path, { answer: Queued });
      return { json: queued, text: `The delivery ${queued.deliveryId} is queued.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook deliveries',
    summary: 'list the deliveries of a webhook and their results',
    help: `Lists the deliveries of a webhook, newest first. Heartline has given up a parked delivery; send it again with:
heartline webhook replay`,
    arguments: { id: 'ID' },
    options: {
      page: pageOfIdOption,
      state: { value: 'STATE', help: 'only deliveries in this state', choices: deliveryStates },
      limit: {
        value: 'N',
        help: `at most this many, up to ${deliveriesMax}; 50 by default`,
        default: '50',
        parse: wholeNumber,
      },
    },
    json: '{"deliveries": [...]}, with the responses of the receiver',
    async run({ client }, { state, limit, ...ref }) {
      const filter = state === undefined ? '' : `?state=${state}`;
      const path = `${await client.pathTo('webhook', ref)}/deliveries${filter}`;
      const deliveries = await client.list(path, ManagedDelivery, Math.min(limit, deliveriesMax));
      const headings = ['ID', 'TYPE', 'STATE', 'CREATED', 'ATTEMPTS', 'LAST STATUS', 'PROBLEM'];
      const empty = 'There is no such delivery.';
      return {
        json: { deliveries },
        text: formatTable(headings, deliveries.map(deliveryCells), empty),
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'webhook replay',
    summary: 'send a delivery again',
    help: `Makes a delivered or parked delivery pending again; the running service sends it, with the same id, within seconds.
DELIVERY_ID is as in: heartline webhook deliveries`,
    arguments: { id: 'DELIVERY_ID' },
    options: {
      page: pageOfIdOption,
      webhook: { value: 'ID', help: 'the webhook of the delivery; needed over HTTP' },
    },
    json: '{"id"}',
    async run({ client }, { id: delivery, page, webhook }) {
      const path =
        webhook === undefined
          ? await client.pathTo('delivery', { id: delivery, page })
          : `${await client.pathTo('webhook', { id: webhook, page })}/deliveries/${encodeURIComponent(delivery)}`;
      const { id } = await client.send('POST', `${path}/replay`, {
        answer: Type.Object({ id: Type.String() }),
      });
      return { json: { id }, text: `The delivery ${id} is pending again.\n` };
    },
  }),

  defineCommand({
    name: 'webhook delete',
    runsRemotely: true,
    summary: 'delete a webhook',
    help: `Deletes a webhook for good, with its deliveries: pending ones are not sent. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, ref) {
      const path = await client.pathTo('webhook', ref);
      const webhook = await client.send('GET', path, { answer });
      await client.send('DELETE', path, { answer: Nothing });
      return { json: webhook, text: `The webhook ${webhook.id} is deleted.\n` };
    },
  }),
];

/** Creates a webhook of the page with the path. */
export function createWebhook(
  client: Client,
  path: string,
  body: { url: string; events?: readonly string[] | null },
): Promise<Static<typeof Created>> {
  return client.send('POST', `${path}/webhooks`, { answer: Created, body });
}

/** The webhooks of the page with the path, the oldest first. */
export async function listWebhooks(client: Client, path: string): Promise<Static<typeof ManagedWebhook>[]> {
  return (await client.list(`${path}/webhooks`, ManagedWebhook)).reverse();
}

export async function changeWebhook(
  client: Client,
  ref: Ref,
  body: { url?: string; events?: readonly string[] | null; enabled?: boolean },
): Promise<Static<typeof ManagedWebhook>> {
  return client.send('PATCH', await client.pathTo('webhook', ref), { answer, body });
}

function deliveryCells(delivery: Static<typeof ManagedDelivery>): string[] {
  const { id, kind, state, createdAt, attempts, lastAttempt, reason } = delivery;
  const status = lastAttempt?.status?.toString() ?? '';
  const problem = reason ?? lastAttempt?.error ?? '';
  return [id, kind, state, createdAt, String(attempts), status, problem];
}

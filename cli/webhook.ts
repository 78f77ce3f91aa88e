import { announcementKinds } from '../contract/incidents.js';
import { allEvents, deliveryStates, webhookLimits } from '../contract/webhooks.js';
import { loadPageId } from '../control/pages/index.js';
import {
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  rotateWebhook,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
} from '../control/webhooks/index.js';
import { defineCommand } from './core/define-command.js';
import { formatFields, formatTable, isoTime } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';

const deliveriesMax = 1_000;

const eventsOption = {
  value: 'EVENTS',
  help: `only these events, separated by commas: ${announcementKinds.join(', ')}; incident.* or maintenance.* for all of \
one type; ${allEvents} for every event, as at first`,
  parse: (text: string) => text.split(',').map((name) => name.trim()),
} as const;

export const webhookCommands = [
  defineCommand({
    name: 'webhook create',
    summary: 'notify a URL of the incidents of a page',
    help: 'Creates a webhook and prints the secret that signs its deliveries. The secret is shown only this once.',
    options: {
      page: { ...pageOption, help: 'the page whose incidents are delivered' },
      url: { value: 'URL', help: 'where deliveries are posted, http:// or https://', required: true },
      events: eventsOption,
    },
    json: '{"id", "secret"}',
    async run(context, { page: slug, ...settings }) {
      const control = await context.openControlWithSecrets();
      const pageId = await loadPageId(control.sql, slug);
      const created = await createWebhook(control, { pageId, ...settings });
      const { id, secret } = created;
      const text = `${secret}\n\nThis is the secret of the webhook ${id} of ${slug}. It is not shown again.\n`;
      return { json: created, text };
    },
  }),

  defineCommand({
    name: 'webhook list',
    summary: 'list the webhooks of a page',
    help: 'Lists the webhooks of a page, including disabled ones, oldest first.',
    options: { page: pageOption },
    json: '{"webhooks": [...]}',
    async run(context, { page: slug }) {
      const { pageId, ...control } = await context.openPage(slug);
      const webhooks = await listWebhooks(control, { pageId });
      const rows = webhooks.map(({ id, url, events, createdAt, disabledAt, disabledReason }) => [
        ...[id, url, events?.join(',') ?? allEvents, createdAt.toISOString()],
        ...[isoTime(disabledAt) ?? '', disabledReason ?? ''],
      ]);
      const empty = `${slug} has no webhook yet; create one with: heartline webhook create`;
      return {
        json: { webhooks: webhooks.map(webhookJson) },
        text: formatTable(['ID', 'URL', 'EVENTS', 'CREATED', 'DISABLED', 'REASON'], rows, empty),
      };
    },
  }),

  defineCommand({
    name: 'webhook set',
    summary: 'change the URL or the events of a webhook',
    help: `Changes the settings that are named and keeps all others. Pending deliveries go to a new URL, signed with the same
secret; other events count from the next change on. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    options: {
      url: { value: 'URL', help: 'where deliveries are posted, http:// or https://' },
      events: eventsOption,
    },
    json: '',
    async run(context, { id, ...changes }) {
      if (Object.keys(changes).length === 0) throw nothingToChange('--events incident.created');
      const webhook = await changeWebhook(await context.openControl(), { id, ...changes });
      const { url, events } = webhook;
      const text = formatFields([
        ['id', webhook.id],
        ['url', url],
        ['events', events?.join(', ') ?? allEvents],
      ]);
      return { json: webhookJson(webhook), text };
    },
  }),

  defineCommand({
    name: 'webhook disable',
    summary: 'stop the deliveries of a webhook',
    help: `Stops a webhook. Pending deliveries wait until it is enabled again; later events are not delivered to it. ID is
as in: heartline webhook list`,
    arguments: { id: 'ID' },
    json: '',
    async run(context, { id }) {
      const webhook = await disableWebhook(await context.openControl(), { id });
      const text = `The webhook ${webhook.id} is disabled since ${isoTime(webhook.disabledAt)}.\n`;
      return { json: webhookJson(webhook), text };
    },
  }),

  defineCommand({
    name: 'webhook enable',
    summary: 'enable a disabled webhook',
    help: `Enables a webhook that was disabled by hand, or because its receiver answered 410. Deliveries that were pending
then are sent now. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    json: '',
    async run(context, { id }) {
      const webhook = await enableWebhook(await context.openControl(), { id });
      return { json: webhookJson(webhook), text: `The webhook ${webhook.id} is enabled.\n` };
    },
  }),

  defineCommand({
    name: 'webhook rotate',
    summary: 'give a webhook a new secret',
    help: `Creates a new secret and prints it. The secret is shown only this once. For ${webhookLimits.overlapHours} hours, deliveries carry the
signatures of both secrets. ID is as in: heartline webhook list`,
    arguments: { id: 'ID' },
    json: '{"id", "secret", "previousSecretUntil"}',
    async run(context, { id: given }) {
      const { id, secret, ...rotated } = await rotateWebhook(await context.openControlWithSecrets(), {
        id: given,
      });
      const previousSecretUntil = rotated.previousSecretUntil.toISOString();
      const text = `${secret}\n\nThis is the new secret of the webhook ${id}. It is not shown again.
The previous secret signs deliveries as well until ${previousSecretUntil}.\n`;
      return { json: { id, secret, previousSecretUntil }, text };
    },
  }),

  defineCommand({
    name: 'webhook test',
    summary: 'send a test delivery to a webhook',
    help: `Queues a delivery of the type webhook.test, which the running service sends within seconds. See the result with:
heartline webhook deliveries ID`,
    arguments: { id: 'ID' },
    json: '{"deliveryId"}',
    async run(context, { id }) {
      const queued = await testWebhook(await context.openControl(), { id });
      return { json: queued, text: `The delivery ${queued.deliveryId} is queued.\n` };
    },
  }),

  defineCommand({
    name: 'webhook deliveries',
    summary: 'list the deliveries of a webhook and their results',
    help: `Lists the deliveries of a webhook, newest first. Heartline has given up a parked delivery; send it again with:
heartline webhook replay`,
    arguments: { id: 'ID' },
    options: {
      state: { value: 'STATE', help: 'only deliveries in this state', choices: deliveryStates },
      limit: {
        value: 'N',
        help: `at most this many, up to ${deliveriesMax}; 50 by default`,
        default: '50',
        parse: wholeNumber,
      },
    },
    json: '{"deliveries": [...]}, with the responses of the receiver',
    async run(context, { id, state, limit }) {
      const input = { id, state, limit: Math.min(limit, deliveriesMax) };
      const deliveries = await listWebhookDeliveries(await context.openControl(), input);
      const headings = ['ID', 'TYPE', 'STATE', 'CREATED', 'ATTEMPTS', 'LAST STATUS', 'PROBLEM'];
      const empty = 'There is no such delivery.';
      return {
        json: { deliveries: deliveries.map(deliveryJson) },
        text: formatTable(headings, deliveries.map(deliveryCells), empty),
      };
    },
  }),

  defineCommand({
    name: 'webhook replay',
    summary: 'send a delivery again',
    help: `Makes a delivered or parked delivery pending again; the running service sends it, with the same id, within seconds.
DELIVERY_ID is as in: heartline webhook deliveries`,
    arguments: { id: 'DELIVERY_ID' },
    json: '{"id"}',
    async run(context, input) {
      const { id } = await replayWebhookDelivery(await context.openControl(), input);
      return { json: { id }, text: `The delivery ${id} is pending again.\n` };
    },
  }),
];

function webhookJson({
  id,
  url,
  events,
  createdAt,
  disabledAt,
  disabledReason,
  ...webhook
}: Webhook): object {
  return {
    ...{ id, url, events, createdAt: createdAt.toISOString() },
    previousSecretUntil: isoTime(webhook.previousSecretUntil),
    ...{ disabledAt: isoTime(disabledAt), disabledReason },
  };
}

function deliveryJson(delivery: WebhookDelivery): object {
  const { id, incidentId, kind, state, reason, attempts, lastAttempt } = delivery;
  return {
    ...{ id, incidentId, kind, state, reason },
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: isoTime(delivery.nextAttemptAt),
    finishedAt: isoTime(delivery.finishedAt),
    attempts,
    lastAttempt: lastAttempt && { ...lastAttempt, at: lastAttempt.at.toISOString() },
  };
}

function deliveryCells(delivery: WebhookDelivery): string[] {
  const { id, kind, state, createdAt, attempts, lastAttempt, reason } = delivery;
  const status = lastAttempt?.status?.toString() ?? '';
  const problem = reason ?? lastAttempt?.error ?? '';
  return [id, kind, state, createdAt.toISOString(), String(attempts), status, problem];
}

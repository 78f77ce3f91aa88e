import type { Static } from 'typebox';
import type { ManagedDelivery, ManagedWebhook } from '../../contract/manage/webhooks.js';
import { loadPageId } from '../../control/pages/index.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  listWebhookDeliveries,
  listWebhooks,
  loadWebhook,
  replayWebhookDelivery,
  rotateWebhook,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
} from '../../control/webhooks/index.js';
import type { CommandContext } from '../core/context.js';
import { isoTime } from '../core/output.js';
import { localRef, type Ref } from './ref.js';
import type { Webhooks } from './webhook-port.js';

export function localWebhooks(context: CommandContext): Webhooks {
  const open = () => context.openControl();
  const refOf = (ref: Ref) => localRef(context, ref);
  return {
    async create(page, settings) {
      const deps = await context.openControlWithSecrets();
      const pageId = await loadPageId(deps.sql, page);
      const { id, secret } = await createWebhook(deps, { pageId, ...settings });
      return { id, secret };
    },
    async list(page) {
      const { pageId, sql } = await context.openPage(page);
      return (await listWebhooks({ sql }, { pageId })).map(toManagedWebhook);
    },
    async change(ref, settings) {
      return toManagedWebhook(await changeWebhook(await open(), { ...(await refOf(ref)), ...settings }));
    },
    async enable(ref) {
      return toManagedWebhook(await enableWebhook(await open(), await refOf(ref)));
    },
    async disable(ref) {
      return toManagedWebhook(await disableWebhook(await open(), await refOf(ref)));
    },
    async remove(ref) {
      const deps = await open();
      const webhook = await loadWebhook(deps, await refOf(ref));
      await deleteWebhook(deps, await refOf(ref));
      return toManagedWebhook(webhook);
    },
    async rotate(ref) {
      const deps = await context.openControlWithSecrets();
      const { id, secret, previousSecretUntil } = await rotateWebhook(deps, await refOf(ref));
      return { id, secret, previousSecretUntil: isoTime(previousSecretUntil) };
    },
    async test(ref) {
      return testWebhook(await open(), await refOf(ref));
    },
    async deliveries(ref, filter) {
      const input = { ...(await refOf(ref)), ...filter };
      return (await listWebhookDeliveries(await open(), input)).map(toManagedDelivery);
    },
    async replay({ webhook, ...ref }) {
      const input = { ...(await refOf(ref)), ...(webhook !== undefined && { webhookId: webhook }) };
      return replayWebhookDelivery(await open(), input);
    },
  };
}

function toManagedWebhook({
  id,
  url,
  events,
  disabledReason,
  ...times
}: Webhook): Static<typeof ManagedWebhook> {
  return {
    ...{ id, url, events, enabled: times.disabledAt === null, hasSecret: true },
    createdAt: times.createdAt.toISOString(),
    previousSecretUntil: isoTime(times.previousSecretUntil),
    ...{ disabledAt: isoTime(times.disabledAt), disabledReason },
  };
}

function toManagedDelivery(delivery: WebhookDelivery): Static<typeof ManagedDelivery> {
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

import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  ChangeManagedWebhook,
  CreateManagedWebhook,
  ManagedWebhook,
  ManagedWebhookWithSecret,
  QueuedDelivery,
} from '../../../contract/manage/webhooks.js';
import {
  type CreatedWebhook,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listManagedWebhooks,
  loadWebhook,
  rotateWebhook,
  testWebhook,
  type Webhook,
} from '../../../control/webhooks/index.js';
import { answerCreated, preconditionOf, type Representation } from '../../manage/answers.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, changeRoute, deleteRoute, idAt, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { manageDeliveriesRoutes } from './webhook-deliveries.js';

const path = '/api/v1/pages/:page/webhooks';
const onePath = `${path}/:id`;
const permission = 'notifications.write';

/** The webhooks of a page, and their deliveries. */
export function manageWebhooksRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    ...readRoutes(deps),
    ...writeRoutes(deps),
    ...secretAndTestRoutes(deps),
    ...manageDeliveriesRoutes(deps),
  ];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission, operationId: 'listWebhooks' },
      summary: 'The webhooks of a page, newest first, disabled ones included',
      item: ManagedWebhook,
      nameOf: ({ page }) => `webhooks ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listManagedWebhooks(deps, { pageId: page.id, limit, after: idAt(after) }),
      ...{ toItem: webhookJson, positionOf: byId },
    }),
    readRoute({
      ...{ path: onePath, permission, operationId: 'getWebhook' },
      summary: 'A webhook',
      answer: ManagedWebhook,
      load: (call) => loadWebhook(deps, idRef(call)),
      represent,
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path, permission, operationId: 'createWebhook' },
      summary: 'Create a webhook',
      description:
        'Create a webhook. It receives the changes that are announced from now on. The answer has its secret, and no later one does',
      body: { schema: CreateManagedWebhook, bytesMax },
      answers: { 201: ManagedWebhookWithSecret },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body }) {
        const { secret, ...created } = await createWebhook({ ...deps, by }, { pageId: page.id, ...body });
        const location = `/api/v1/pages/${page.slug}/webhooks/${created.id}`;
        answerCreated(ctx, location, represent(created), { secret });
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: onePath, permission, operationId: 'changeWebhook' },
      summary: 'Change the URL or the events of a webhook, or disable or enable it',
      description:
        'Change the URL or the events of a webhook, or disable or enable it. Pending deliveries go to a new URL, signed with the same secret; other events count from the next change on',
      body: { schema: ChangeManagedWebhook, bytesMax },
      answer: ManagedWebhook,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      represent,
      async change({ by, body, ...call }, check) {
        const changed = await changeWebhook({ ...deps, by }, { ...idRef(call), ...body, check });
        // Pending deliveries are due when the webhook is enabled.
        if (body.enabled === true) deps.onAnnounced();
        return changed;
      },
    }),
    deleteRoute({
      ...{ path: onePath, permission, operationId: 'deleteWebhook' },
      summary: 'Delete a webhook with its deliveries',
      description: 'Delete a webhook with its deliveries. Pending ones are not sent any more',
      represent,
      remove: (call, check) => deleteWebhook({ ...deps, by: call.by }, { ...idRef(call), check }),
    }),
  ];
}

function secretAndTestRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'POST', path: `${onePath}/rotate`, permission, operationId: 'rotateWebhook' },
      summary: 'Give a webhook a new secret',
      description:
        'Give a webhook a new secret. The answer has it, and no later one does. For 24 hours, deliveries are signed with both secrets',
      answers: { 200: ManagedWebhookWithSecret },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, represent);
        call.ctx.body = withSecret(await rotateWebhook({ ...deps, by: call.by }, { ...idRef(call), check }));
      },
    }),
    manageRoute({
      ...{ method: 'POST', path: `${onePath}/test`, permission, operationId: 'testWebhook' },
      summary: 'Send a test delivery to a webhook',
      description: 'Send a test delivery to a webhook. It is queued; its outcome is among the deliveries',
      answers: { 202: QueuedDelivery },
      errors: ['notFound', 'conflict'],
      async manage(call) {
        const queued = await testWebhook({ ...deps, by: call.by }, idRef(call));
        deps.onAnnounced();
        call.ctx.status = 202;
        call.ctx.body = queued;
      },
    }),
  ];
}

function represent(webhook: Webhook): Representation {
  return { body: webhookJson(webhook) };
}

function withSecret({ secret, ...webhook }: CreatedWebhook): object {
  return { ...webhookJson(webhook), secret };
}

function webhookJson({ id, url, events, disabledReason, ...times }: Webhook): object {
  return {
    ...{ id, url, events, enabled: times.disabledAt === null, hasSecret: true },
    createdAt: times.createdAt.toISOString(),
    previousSecretUntil: times.previousSecretUntil?.toISOString() ?? null,
    disabledAt: times.disabledAt?.toISOString() ?? null,
    disabledReason,
  };
}

import Type from 'typebox';
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
import {
  answerCreated,
  answerDone,
  answerResource,
  preconditionOf,
  type Representation,
} from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { manageDeliveriesRoutes } from './webhook-deliveries.js';

/** The webhooks of a page, and their deliveries. */
export function manageWebhooksRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/webhooks',
      operationId: 'listWebhooks',
      summary: 'The webhooks of a page, newest first, disabled ones included',
      permission: 'notifications.write',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedWebhook) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `webhooks ${page.id}`);
        const { limit, after } = paging.parse(query);
        const part = { pageId: page.id, limit: limit + 1, after: after?.map(String)[0] };
        const rows = await listManagedWebhooks(deps, part);
        paging.answer(ctx, { rows, limit, toItem: webhookJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/webhooks',
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Create a webhook. It receives the changes that are announced from now on. The answer has its secret, and no later one does',
      permission: 'notifications.write',
      body: { schema: CreateManagedWebhook, bytesMax },
      answers: { 201: ManagedWebhookWithSecret },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body }) {
        const { secret, ...created } = await createWebhook({ ...deps, by }, { pageId: page.id, ...body });
        const location = `/api/v1/pages/${page.slug}/webhooks/${created.id}`;
        answerCreated(ctx, location, representWebhook(created), { secret });
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/webhooks/:id',
      operationId: 'getWebhook',
      summary: 'A webhook',
      permission: 'notifications.write',
      answers: { 200: ManagedWebhook, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        answerResource(call.ctx, representWebhook(await loadWebhook(deps, refOf(call))));
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: '/api/v1/pages/:page/webhooks/:id',
      operationId: 'changeWebhook',
      summary: 'Change the URL or the events of a webhook, or disable or enable it',
      description:
        'Change the URL or the events of a webhook, or disable or enable it. Pending deliveries go to a new URL, signed with the same secret; other events count from the next change on',
      permission: 'notifications.write',
      body: { schema: ChangeManagedWebhook, bytesMax },
      answers: { 200: ManagedWebhook },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representWebhook);
        const changes = { ...refOf(call), ...call.body, check };
        const changed = await changeWebhook({ ...deps, by: call.by }, changes);
        // What was pending is due when the webhook is enabled.
        if (call.body.enabled === true) deps.onAnnounced();
        answerResource(call.ctx, representWebhook(changed));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: '/api/v1/pages/:page/webhooks/:id',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries',
      description: 'Delete a webhook with its deliveries. Pending ones are not sent any more',
      permission: 'notifications.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representWebhook);
        await deleteWebhook({ ...deps, by: call.by }, { ...refOf(call), check });
        answerDone(call.ctx);
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/webhooks/:id/rotate',
      operationId: 'rotateWebhook',
      summary: 'Give a webhook a new secret',
      description:
        'Give a webhook a new secret. The answer has it, and no later one does. For 24 hours, deliveries are signed with both secrets',
      permission: 'notifications.write',
      answers: { 200: ManagedWebhookWithSecret },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representWebhook);
        call.ctx.body = withSecret(await rotateWebhook({ ...deps, by: call.by }, { ...refOf(call), check }));
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/webhooks/:id/test',
      operationId: 'testWebhook',
      summary: 'Send a test delivery to a webhook',
      description: 'Send a test delivery to a webhook. It is queued; its outcome is among the deliveries',
      permission: 'notifications.write',
      answers: { 202: QueuedDelivery },
      errors: ['notFound', 'conflict'],
      async manage(call) {
        const queued = await testWebhook({ ...deps, by: call.by }, refOf(call));
        deps.onAnnounced();
        call.ctx.status = 202;
        call.ctx.body = queued;
      },
    }),
    ...manageDeliveriesRoutes(deps),
  ];
}

function refOf({ page, params }: Pick<ManageCall, 'page' | 'params'>) {
  return { id: params['id'] ?? '', pageId: page.id };
}

function representWebhook(webhook: Webhook): Representation {
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

import Type from 'typebox';
import {
  ManagedDelivery,
  ManagedDeliveryDetail,
  pastAttemptsMax,
} from '../../../contract/manage/webhooks.js';
import { deliveryStates } from '../../../contract/webhooks.js';
import {
  type DeliveryPosition,
  listWebhookDeliveries,
  loadDeliveryDetail,
  loadWebhookDelivery,
  replayWebhookDelivery,
  type WebhookAttempt,
  type WebhookDelivery,
} from '../../../control/webhooks/index.js';
import type { Position } from '../../../lib/cursor.js';
import { type DeliveryId, parseId } from '../../../lib/ids.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageRoute } from '../../manage/manage-route.js';
import { parseChoice } from '../../manage/parse-choice.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

/** The deliveries of a webhook. A list of them holds no address and no secret, so `telemetry.read` is enough for it. */
export function manageDeliveriesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/webhooks/:id/deliveries',
      operationId: 'listDeliveries',
      summary: 'The deliveries of a webhook, newest first, each with its last attempt',
      permission: 'telemetry.read',
      query: Type.Object({
        ...listParameters,
        state: Type.Optional(
          Type.Enum([...deliveryStates], { description: 'Only deliveries in this state.' }),
        ),
      }),
      answers: { 200: listOf(ManagedDelivery) },
      errors: ['notFound'],
      async manage({ ctx, page, params, query }) {
        const id = params['id'] ?? '';
        const state = parseChoice('state', query.state, deliveryStates);
        const paging = createPaging(
          deps.secretKey,
          `deliveries ${page.id} ${id.toLowerCase()} ${state ?? ''}`,
        );
        const { limit, after } = paging.parse(query);
        const part = { limit: limit + 1, after: after && deliveryAt(after) };
        const rows = await listWebhookDeliveries(deps, { id, pageId: page.id, state, ...part });
        paging.answer(ctx, { rows, limit, toItem: deliveryJson, positionOf });
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/webhooks/:id/deliveries/:deliveryId',
      operationId: 'getDelivery',
      summary: 'A delivery with the request as it is sent, and its attempts',
      description:
        'A delivery with the request as it is sent, without its signature, and its attempts. A URL may be a secret, so this needs the permission to change webhooks',
      permission: 'notifications.write',
      answers: { 200: ManagedDeliveryDetail },
      errors: ['notFound'],
      async manage({ ctx, page, params }) {
        const ref = { id: params['deliveryId'] ?? '', pageId: page.id, webhookId: params['id'] ?? '' };
        const { request, pastAttempts, ...delivery } = await loadDeliveryDetail(deps, {
          ...ref,
          attemptsMax: pastAttemptsMax,
        });
        ctx.body = { ...deliveryJson(delivery), request, pastAttempts: pastAttempts.map(attemptJson) };
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/webhooks/:id/deliveries/:deliveryId/replay',
      operationId: 'replayDelivery',
      summary: 'Send a delivered or parked delivery again',
      description:
        'Send a delivered or parked delivery again, with the same id. It goes before later pending deliveries of its incident',
      permission: 'notifications.write',
      answers: { 200: ManagedDelivery },
      errors: ['notFound', 'conflict'],
      async manage({ ctx, by, page, params }) {
        const webhookId = params['id'] ?? '';
        const ref = { id: params['deliveryId'] ?? '', pageId: page.id, webhookId };
        await replayWebhookDelivery({ ...deps, by }, ref);
        const replayed = await loadWebhookDelivery(deps, ref);
        deps.onAnnounced();
        ctx.body = deliveryJson(replayed);
      },
    }),
  ];
}

function positionOf({ createdAt, seq, id }: WebhookDelivery): Position {
  return [createdAt.getTime(), String(seq), id];
}

/** @param position what positionOf() made */
function deliveryAt([createdAt, seq, id]: Position): DeliveryPosition {
  const deliveryId = parseId<DeliveryId>(String(id));
  if (deliveryId === undefined) throw new Error('The cursor of deliveries has no id.');
  return { createdAt: new Date(Number(createdAt)), seq: BigInt(seq ?? 0), id: deliveryId };
}

function deliveryJson(delivery: WebhookDelivery): object {
  const { id, incidentId, kind, state, reason, attempts, lastAttempt } = delivery;
  return {
    ...{ id, incidentId, kind, state, reason },
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
    attempts,
    lastAttempt: lastAttempt && attemptJson(lastAttempt),
  };
}

function attemptJson({ at, ...attempt }: WebhookAttempt): object {
  return { at: at.toISOString(), ...attempt };
}

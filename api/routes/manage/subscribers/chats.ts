import Type from 'typebox';
import { ManagedChat } from '../../../../contract/manage/subscribers.js';
import {
  type ChatSubscriber,
  listChatSubscribers,
  removeChatSubscriber,
} from '../../../../control/subscribers/index.js';
import { answerDone } from '../../../manage/answers.js';
import { idRef, manageRoute } from '../../../manage/manage-route.js';
import { byId, idAt, listRoute } from '../../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';

const path = '/api/v1/pages/:page/chat-subscribers';
const permission = 'notifications.write';

/** The chats that readers have subscribed to a page. */
export function manageChatsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission, operationId: 'listChatSubscribers' },
      summary: 'The chats that are subscribed to a page, newest first',
      description:
        'The chats that are subscribed to a page, newest first. Their URLs are known to their readers alone',
      item: ManagedChat,
      nameOf: ({ page }) => `chat-subscribers ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listChatSubscribers(deps, { pageId: page.id, limit, after: idAt(after) }),
      ...{ toItem: chatJson, positionOf: byId },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: `${path}/:id`, permission, operationId: 'deleteChatSubscriber' },
      summary: 'End the subscription of a chat',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        await removeChatSubscriber({ ...deps, by: call.by }, idRef(call));
        answerDone(call.ctx);
      },
    }),
  ];
}

function chatJson({ id, kind, host, language, createdAt, confirmedAt, goneAt }: ChatSubscriber): object {
  return {
    ...{ id, kind, host, language, createdAt: createdAt.toISOString() },
    confirmedAt: confirmedAt?.toISOString() ?? null,
    goneAt: goneAt?.toISOString() ?? null,
  };
}

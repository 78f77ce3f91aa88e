import Type from 'typebox';
import { ManagedChat } from '../../../../contract/manage/subscribers.js';
import {
  type ChatSubscriber,
  listChatSubscribers,
  removeChatSubscriber,
} from '../../../../control/subscribers/index.js';
import { answerDone } from '../../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../../manage/lists.js';
import { manageRoute } from '../../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';

const path = '/api/v1/pages/:page/chat-subscribers';
const permission = 'notifications.write';

/** The chats that readers have subscribed to a page. */
export function manageChatsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path, permission, operationId: 'listChatSubscribers' },
      summary: 'The chats that are subscribed to a page, newest first',
      description:
        'The chats that are subscribed to a page, newest first. Their URLs are known to their readers alone',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedChat) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `chat-subscribers ${page.id}`);
        const { limit, after } = paging.parse(query);
        const part = { pageId: page.id, limit: limit + 1, after: after?.map(String)[0] };
        const rows = await listChatSubscribers(deps, part);
        paging.answer(ctx, { rows, limit, toItem: chatJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: `${path}/:id`, permission, operationId: 'deleteChatSubscriber' },
      summary: 'End the subscription of a chat',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, by, page, params }) {
        await removeChatSubscriber({ ...deps, by }, { pageId: page.id, id: params['id'] ?? '' });
        answerDone(ctx);
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

import Type from 'typebox';
import {
  ChangeManagedChannel,
  CreateManagedChannel,
  ManagedChannel,
  ManagedMessage,
  PutManagedChannel,
  QueuedMessage,
} from '../../../contract/manage/channels.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  changeChannel,
  createChannel,
  deleteChannel,
  type ListedChannel,
  listChannels,
  listMessages,
  loadChannel,
  parseQuietHours,
  putChannel,
  testChannel,
  toManagedChannel,
  toManagedMessage,
} from '../../../control/channels/index.js';
import { ServiceError } from '../../../lib/service-error.js';
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

const path = '/api/v1/pages/:page/channels';
const onePath = `${path}/:id`;
const permission = 'notifications.write';

/** The channels that tell the team of a page of trouble, and their messages. */
export function manageChannelsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path, permission, operationId: 'listChannels' },
      summary: 'The channels of a page, newest first',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedChannel) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `channels ${page.id}`);
        const { limit, after } = paging.parse(query);
        const part = { pageId: page.id, limit: limit + 1, after: after?.map(String)[0] };
        const rows = await listChannels(deps, part);
        paging.answer(ctx, { rows, limit, toItem: toManagedChannel, positionOf: ({ id }) => [id] });
      },
    }),
    manageBodyRoute({
      ...{ method: 'POST', path, permission, operationId: 'createChannel' },
      summary: 'Create a channel',
      description:
        'Create a channel. It reports problems that begin from now on, and current ones that no other channel has reported. No answer shows its URL or tokens',
      body: { schema: CreateManagedChannel, bytesMax },
      answers: { 201: ManagedChannel },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body: { quietHours = null, ...input } }) {
        const channel = { ...input, pageId: page.id, quietHours: parseQuietHours(quietHours) };
        const created = await createChannel({ ...deps, by }, channel);
        answerCreated(ctx, `/api/v1/pages/${page.slug}/channels/${created.id}`, representChannel(created));
      },
    }),
    manageRoute({
      ...{ method: 'GET', path: onePath, permission, operationId: 'getChannel' },
      summary: 'A channel',
      answers: { 200: ManagedChannel, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        answerResource(call.ctx, representChannel(await loadChannel(deps, refOf(call))));
      },
    }),
    manageBodyRoute({
      ...{ method: 'PUT', path: onePath, permission, operationId: 'putChannel' },
      summary: 'Create the channel with a name, or replace its settings',
      description:
        'Create the channel with a name, which stands in the place of the id, or replace its settings: those that are absent go back to their defaults, and secrets that are absent stay',
      body: { schema: PutManagedChannel, bytesMax },
      answers: { 200: ManagedChannel, 201: ManagedChannel },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, params, body }) {
        const { quietHours = null, settings = {}, ...input } = body;
        const name = params['id'] ?? '';
        if (input.name !== undefined && input.name !== name) {
          throw new ServiceError('invalidBody', { message: '/name must be the name of the path.' });
        }
        const check = preconditionOf(ctx, representChannel);
        const { channel, isNew } = await putChannel(
          { ...deps, by },
          { ...input, name, settings, pageId: page.id, quietHours: parseQuietHours(quietHours) },
          (current) => current && check(current),
        );
        deps.onAnnounced();
        const shown = representChannel(channel);
        if (isNew) answerCreated(ctx, `/api/v1/pages/${page.slug}/channels/${channel.id}`, shown);
        else answerResource(ctx, shown);
      },
    }),
    manageBodyRoute({
      ...{ method: 'PATCH', path: onePath, permission, operationId: 'changeChannel' },
      summary: 'Change a channel, or turn it off or on',
      description: 'Change a channel, or turn it off or on. Messages that wait go to the new address',
      body: { schema: ChangeManagedChannel, bytesMax },
      answers: { 200: ManagedChannel },
      errors: ['invalidBody', 'notFound', 'preconditionFailed'],
      async manage(call) {
        const { quietHours, ...changes } = call.body;
        const check = preconditionOf(call.ctx, representChannel);
        const hours = quietHours === undefined ? {} : { quietHours: parseQuietHours(quietHours) };
        const input = { ...refOf(call), ...changes, ...hours, check };
        const changed = await changeChannel({ ...deps, by: call.by }, input);
        deps.onAnnounced();
        answerResource(call.ctx, representChannel(changed));
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: onePath, permission, operationId: 'deleteChannel' },
      summary: 'Delete a channel with its messages',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representChannel);
        await deleteChannel({ ...deps, by: call.by }, { ...refOf(call), check });
        answerDone(call.ctx);
      },
    }),
    manageRoute({
      ...{ method: 'POST', path: `${onePath}/test`, permission, operationId: 'testChannel' },
      summary: 'Send a test message to a channel',
      description:
        'Send a test message to a channel. It is queued, whatever the quiet hours; its outcome is among the messages',
      answers: { 202: QueuedMessage },
      errors: ['notFound', 'conflict'],
      async manage(call) {
        const queued = await testChannel({ ...deps, by: call.by }, refOf(call));
        deps.onAnnounced();
        call.ctx.status = 202;
        call.ctx.body = queued;
      },
    }),
    manageRoute({
      ...{ method: 'GET', path: `${onePath}/messages`, permission, operationId: 'listChannelMessages' },
      summary: 'The messages of a channel, newest first',
      description: 'The messages of a channel, newest first. They are kept for 30 days',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedMessage) },
      errors: ['notFound'],
      async manage(call) {
        const ref = refOf(call);
        const paging = createPaging(deps.secretKey, `channel-messages ${ref.pageId} ${ref.id}`);
        const { limit, after } = paging.parse(call.query);
        const rows = await listMessages(deps, { ...ref, limit: limit + 1, after: after?.map(String)[0] });
        paging.answer(call.ctx, { rows, limit, toItem: toManagedMessage, positionOf: ({ id }) => [id] });
      },
    }),
  ];
}

function refOf({ page, params }: Pick<ManageCall, 'page' | 'params'>) {
  return { id: params['id'] ?? '', pageId: page.id };
}

/** What became of its messages changes without anybody changing the channel. */
function representChannel(channel: ListedChannel): Representation {
  return { body: toManagedChannel(channel), volatile: ['waiting', 'last'] };
}

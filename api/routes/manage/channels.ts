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
import { answerCreated, answerPut, preconditionOf, type Representation } from '../../manage/answers.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, changeRoute, deleteRoute, idAt, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const path = '/api/v1/pages/:page/channels';
const onePath = `${path}/:id`;
const permission = 'notifications.write';

/** The channels that tell the team of a page of trouble, and their messages. */
export function manageChannelsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps), ...messagesRoutes(deps)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission, operationId: 'listChannels' },
      summary: 'The channels of a page, newest first',
      item: ManagedChannel,
      nameOf: ({ page }) => `channels ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listChannels(deps, { pageId: page.id, limit, after: idAt(after) }),
      ...{ toItem: toManagedChannel, positionOf: byId },
    }),
    readRoute({
      ...{ path: onePath, permission, operationId: 'getChannel' },
      summary: 'A channel',
      answer: ManagedChannel,
      load: (call) => loadChannel(deps, idRef(call)),
      represent,
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
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
        answerCreated(ctx, pathOf(page.slug, created), represent(created));
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
        const check = preconditionOf(ctx, represent);
        const { channel, isNew } = await putChannel(
          { ...deps, by },
          { ...input, name, settings, pageId: page.id, quietHours: parseQuietHours(quietHours) },
          (current) => current && check(current),
        );
        deps.onAnnounced();
        answerPut(ctx, isNew, pathOf(page.slug, channel), represent(channel));
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: onePath, permission, operationId: 'changeChannel' },
      summary: 'Change a channel, or turn it off or on',
      description: 'Change a channel, or turn it off or on. Messages that wait go to the new address',
      body: { schema: ChangeManagedChannel, bytesMax },
      answer: ManagedChannel,
      represent,
      async change({ by, body: { quietHours, ...changes }, ...call }, check) {
        const hours = quietHours === undefined ? {} : { quietHours: parseQuietHours(quietHours) };
        const input = { ...idRef(call), ...changes, ...hours, check };
        const changed = await changeChannel({ ...deps, by }, input);
        deps.onAnnounced();
        return changed;
      },
    }),
    deleteRoute({
      ...{ path: onePath, permission, operationId: 'deleteChannel' },
      summary: 'Delete a channel with its messages',
      description: 'Delete a channel with its messages. One that a policy tells is not deleted',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent,
      remove: (call, check) => deleteChannel({ ...deps, by: call.by }, { ...idRef(call), check }),
    }),
  ];
}

function messagesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'POST', path: `${onePath}/test`, permission, operationId: 'testChannel' },
      summary: 'Send a test message to a channel',
      description:
        'Send a test message to a channel. It is queued, whatever the quiet hours; its outcome is among the messages',
      answers: { 202: QueuedMessage },
      errors: ['notFound', 'conflict'],
      async manage(call) {
        const queued = await testChannel({ ...deps, by: call.by }, idRef(call));
        deps.onAnnounced();
        call.ctx.status = 202;
        call.ctx.body = queued;
      },
    }),
    listRoute(deps, {
      ...{ path: `${onePath}/messages`, permission, operationId: 'listChannelMessages' },
      summary: 'The messages of a channel, newest first',
      description: 'The messages of a channel, newest first. They are kept for 30 days',
      item: ManagedMessage,
      errors: ['notFound'],
      nameOf: ({ page, params }) => `channel-messages ${page.id} ${params['id']}`,
      load: (call, { limit, after }) => listMessages(deps, { ...idRef(call), limit, after: idAt(after) }),
      ...{ toItem: toManagedMessage, positionOf: byId },
    }),
  ];
}

function pathOf(slug: string, { id }: ListedChannel): string {
  return `/api/v1/pages/${slug}/channels/${id}`;
}

/** The outcome of messages changes without a change of the channel. */
function represent(channel: ListedChannel): Representation {
  return { body: toManagedChannel(channel), volatile: ['waiting', 'last'] };
}

import Type from 'typebox';
import { MonitorGroup, MonitorOrder, PutMonitorGroup } from '../../../contract/manage/monitor-groups.js';
import { manageBodyBytesMax } from '../../../contract/manage/shared.js';
import {
  deleteGroup,
  type Group,
  listGroups,
  loadGroup,
  loadOrder,
  type Order,
  putGroup,
  putOrder,
} from '../../../control/monitors/index.js';
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

const list = '/api/v1/pages/:page/groups';
const one = `${list}/:slug`;
const order = '/api/v1/pages/:page/monitor-order';

/** The groups under whose names a page shows its monitors, and the order of both. */
export function manageMonitorGroupsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps), ...orderRoutes(deps)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: list,
      operationId: 'listMonitorGroups',
      summary: 'The groups of monitors of a page, in its order',
      permission: 'telemetry.read',
      query: Type.Object(listParameters),
      answers: { 200: listOf(MonitorGroup) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `groups ${page.id}`);
        const { limit, after } = paging.parse(query);
        const groups = await listGroups(deps, { pageId: page.id });
        // A page has at most a hundred groups, so that all of them are read.
        const last = after === undefined ? -1 : Number(after[0]);
        const rows = groups.filter(({ position }) => position > last);
        paging.answer(ctx, { rows, limit, toItem: groupJson, positionOf: ({ position }) => [position] });
      },
    }),
    manageRoute({
      method: 'GET',
      path: one,
      operationId: 'getMonitorGroup',
      summary: 'One group of monitors',
      permission: 'telemetry.read',
      answers: { 200: MonitorGroup, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        answerResource(call.ctx, representGroup(await loadGroup(deps, refOf(call))));
      },
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'PUT',
      path: one,
      operationId: 'putMonitorGroup',
      summary: 'Create a group of monitors behind the others, or replace its names and looks',
      description:
        'Create a group of monitors behind the others, or replace its names and looks. If-None-Match: * replaces none',
      permission: 'page.write',
      body: { schema: PutMonitorGroup, bytesMax: manageBodyBytesMax },
      answers: { 200: MonitorGroup, 201: MonitorGroup },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const { ctx, by, page, body } = call;
        const precondition = preconditionOf(ctx, representGroup);
        const check = (current: Group | undefined): void => {
          if (current !== undefined) {
            if (ctx.get('if-none-match') === '*') throw new ServiceError('preconditionFailed');
            precondition(current);
          } else if (ctx.get('if-match') !== '') throw new ServiceError('preconditionFailed');
        };
        const { name, names, collapsed } = body;
        const put = { name, names: names ?? {}, collapsed: collapsed ?? false };
        const input = { ...refOf(call), ...put };
        const { group, isNew } = await putGroup({ ...deps, by }, input, check);
        deps.onChange(page.id);
        const path = `/api/v1/pages/${page.slug}/groups/${group.slug}`;
        if (isNew) answerCreated(ctx, path, representGroup(group));
        else answerResource(ctx, representGroup(group));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteMonitorGroup',
      summary: 'Delete a group of monitors',
      description: 'Delete a group of monitors. The monitors stay, in front of the groups',
      permission: 'page.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representGroup);
        await deleteGroup({ ...deps, by: call.by }, refOf(call), check);
        deps.onChange(call.page.id);
        answerDone(call.ctx);
      },
    }),
  ];
}

function orderRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: order,
      operationId: 'getMonitorOrder',
      summary: 'The order of the groups of a page, and of the monitors of each',
      permission: 'telemetry.read',
      answers: { 200: MonitorOrder, 304: Type.Null() },
      async manage({ ctx, page }) {
        answerResource(ctx, representOrder(await loadOrder(deps, page.id)));
      },
    }),
    manageBodyRoute({
      method: 'PUT',
      path: order,
      operationId: 'putMonitorOrder',
      summary: 'Put the groups of a page and their monitors into an order',
      description:
        'Put the groups of a page and their monitors into an order. A monitor moves to the group that it is listed under. A body that lacks a group or a monitor of the page is refused',
      permission: 'page.write',
      body: { schema: MonitorOrder, bytesMax: 256 * 1024 },
      answers: { 200: MonitorOrder },
      errors: ['invalidBody', 'preconditionFailed'],
      async manage({ ctx, by, page, body }) {
        const check = preconditionOf(ctx, representOrder);
        const changed = await putOrder({ ...deps, by }, { pageId: page.id, ...body }, check);
        deps.onChange(page.id);
        answerResource(ctx, representOrder(changed));
      },
    }),
  ];
}

function refOf({ page, params }: Pick<ManageCall, 'page' | 'params'>) {
  return { pageId: page.id, slug: params['slug'] ?? '' };
}

function representOrder({ items }: Order): Representation {
  return { body: { items } };
}

/** What another change moves is no reason to refuse new names. */
function representGroup(group: Group): Representation {
  return { body: groupJson(group), volatile: ['position'] };
}

function groupJson({ slug, name, names, collapsed, position, createdAt }: Group): MonitorGroup {
  return { slug, name, names, collapsed, position, createdAt: createdAt.toISOString() };
}

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
import { answerPut, putPreconditionOf, type Representation } from '../../manage/answers.js';
import { manageBodyRoute, slugRef } from '../../manage/manage-route.js';
import { changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
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
    listRoute(deps, {
      ...{ path: list, permission: 'telemetry.read', operationId: 'listMonitorGroups' },
      summary: 'The groups of monitors of a page, in its order',
      item: MonitorGroup,
      nameOf: ({ page }) => `groups ${page.id}`,
      async load({ page }, { after }) {
        const groups = await listGroups(deps, { pageId: page.id });
        // A page has at most a hundred groups, so that all of them are read.
        const last = after === undefined ? -1 : Number(after[0]);
        return groups.filter(({ position }) => position > last);
      },
      toItem: groupJson,
      positionOf: ({ position }) => [position],
    }),
    readRoute({
      ...{ path: one, permission: 'telemetry.read', operationId: 'getMonitorGroup' },
      summary: 'One group of monitors',
      answer: MonitorGroup,
      load: (call) => loadGroup(deps, slugRef(call)),
      represent: representGroup,
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'PUT', path: one, permission: 'page.write', operationId: 'putMonitorGroup' },
      summary: 'Create a group of monitors behind the others, or replace its names and looks',
      description:
        'Create a group of monitors behind the others, or replace its names and looks. If-None-Match: * replaces none',
      body: { schema: PutMonitorGroup, bytesMax: manageBodyBytesMax },
      answers: { 200: MonitorGroup, 201: MonitorGroup },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body: { name, names, collapsed }, ...call }) {
        const { ctx, page } = call;
        const check = putPreconditionOf(ctx, representGroup);
        const input = { ...slugRef(call), name, names: names ?? {}, collapsed: collapsed ?? false };
        const { group, isNew } = await putGroup({ ...deps, by }, input, check);
        deps.onChange(page.id);
        answerPut(ctx, isNew, `/api/v1/pages/${page.slug}/groups/${group.slug}`, representGroup(group));
      },
    }),
    deleteRoute({
      ...{ path: one, permission: 'page.write', operationId: 'deleteMonitorGroup' },
      summary: 'Delete a group of monitors',
      description: 'Delete a group of monitors. The monitors stay, in front of the groups',
      represent: representGroup,
      async remove(call, check) {
        await deleteGroup({ ...deps, by: call.by }, slugRef(call), check);
        deps.onChange(call.page.id);
      },
    }),
  ];
}

function orderRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    readRoute({
      ...{ path: order, permission: 'telemetry.read', operationId: 'getMonitorOrder' },
      summary: 'The order of the groups of a page, and of the monitors of each',
      answer: MonitorOrder,
      errors: [],
      load: ({ page }) => loadOrder(deps, page.id),
      represent: representOrder,
    }),
    changeRoute({
      ...{ method: 'PUT', path: order, permission: 'page.write', operationId: 'putMonitorOrder' },
      summary: 'Put the groups of a page and their monitors into an order',
      description:
        'Put the groups of a page and their monitors into an order. A monitor moves to the group that it is listed under. A body that lacks a group or a monitor of the page is refused',
      body: { schema: MonitorOrder, bytesMax: 256 * 1024 },
      answer: MonitorOrder,
      errors: ['invalidBody', 'preconditionFailed'],
      represent: representOrder,
      async change({ by, page, body }, check) {
        const changed = await putOrder({ ...deps, by }, { pageId: page.id, ...body }, check);
        deps.onChange(page.id);
        return changed;
      },
    }),
  ];
}

function representOrder({ items }: Order): Representation {
  return { body: { items } };
}

/** A group that another change has moved still takes new names. */
function representGroup(group: Group): Representation {
  return { body: groupJson(group), volatile: ['position'] };
}

function groupJson({ slug, name, names, collapsed, position, createdAt }: Group): MonitorGroup {
  return { slug, name, names, collapsed, position, createdAt: createdAt.toISOString() };
}

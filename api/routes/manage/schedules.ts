import Type from 'typebox';
import {
  AddOverride,
  ChangeSchedule,
  ManagedSchedule,
  PutSchedule,
  ScheduleFeed,
  ScheduleOverride,
} from '../../../contract/manage/schedules.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  addOverride,
  changeSchedule,
  deleteOverride,
  deleteSchedule,
  listSchedules,
  loadSchedule,
  putSchedule,
  removeFeed,
  rotateFeed,
  type Schedule,
  toManagedSchedule,
  toOverride,
} from '../../../control/schedules/index.js';
import { parseTimestamp } from '../../../lib/timestamp.js';
import {
  answerCreated,
  answerDone,
  answerPut,
  putPreconditionOf,
  type Representation,
} from '../../manage/answers.js';
import { manageBodyRoute, manageRoute, slugRef } from '../../manage/manage-route.js';
import { changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { behindSlug, bySlug, shiftRoutes } from './shifts.js';

const path = '/api/v1/pages/:page/schedules';
const onePath = `${path}/:slug`;
const read = 'telemetry.read';
const write = 'notifications.write';
const override = 'alerts.acknowledge';

/** Who of a page is on call, when. */
export function manageSchedulesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    ...readRoutes(deps),
    ...writeRoutes(deps),
    ...shiftRoutes(deps),
    ...overrideRoutes(deps),
    ...feedRoutes(deps),
  ];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission: read, operationId: 'listSchedules' },
      summary: 'The schedules of a page, by slug',
      item: ManagedSchedule,
      nameOf: ({ page }) => `schedules ${page.id}`,
      load: async ({ page }, { after }) =>
        behindSlug(await listSchedules(deps.sql, { pageId: page.id, since: deps.clock.now() }), after),
      toItem: (schedule: Schedule) => toManagedSchedule(schedule, deps.clock.now()),
      positionOf: bySlug,
    }),
    readRoute({
      ...{ path: onePath, permission: read, operationId: 'getSchedule' },
      summary: 'A schedule',
      answer: ManagedSchedule,
      load: (call) => loadSchedule(deps.sql, { ...slugRef(call), since: deps.clock.now() }),
      represent: representAt(deps),
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const represent = representAt(deps);
  return [
    manageBodyRoute({
      ...{ method: 'PUT', path: onePath, permission: write, operationId: 'putSchedule' },
      summary: 'Create a schedule, or replace its layers',
      description:
        'Create a schedule, or replace its name, time zone and layers; its overrides and its calendar stay. The last layer that covers a moment decides. Hand-overs keep the local hour when the clock changes: at an hour that it skips they happen when it has skipped, and at one that it shows twice, the first time. If-None-Match: * replaces none',
      body: { schema: PutSchedule, bytesMax },
      answers: { 200: ManagedSchedule, 201: ManagedSchedule },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body: fields, ...call }) {
        const { ctx, page } = call;
        const check = putPreconditionOf(ctx, represent);
        const { schedule, isNew } = await putSchedule({ ...deps, by }, { ...slugRef(call), fields }, check);
        answerPut(ctx, isNew, `/api/v1/pages/${page.slug}/schedules/${schedule.slug}`, represent(schedule));
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: onePath, permission: write, operationId: 'changeSchedule' },
      summary: 'Change a schedule',
      description: 'Change a schedule. Layers are replaced as a whole',
      body: { schema: ChangeSchedule, bytesMax },
      answer: ManagedSchedule,
      represent,
      change: ({ by, body: changes, ...call }, check) =>
        changeSchedule({ ...deps, by }, { ...slugRef(call), changes }, check),
    }),
    deleteRoute({
      ...{ path: onePath, permission: write, operationId: 'deleteSchedule' },
      summary: 'Delete a schedule',
      description:
        'Delete a schedule with its overrides and its calendar. One that a policy tells is not deleted',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent,
      remove: (call, check) => deleteSchedule({ ...deps, by: call.by }, slugRef(call), check),
    }),
  ];
}

function overrideRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path: `${onePath}/overrides`, permission: override, operationId: 'addOverride' },
      summary: 'Put somebody on call for some time',
      description:
        'Put somebody on call for some time, whatever the layers say. Of two overrides at once, the newer one counts',
      body: { schema: AddOverride, bytesMax },
      answers: { 201: ScheduleOverride },
      errors: ['invalidBody', 'notFound', 'conflict'],
      async manage({ by, body: { person, from, to }, ...call }) {
        const { ctx, page } = call;
        const ref = slugRef(call);
        const times = { from: parseTimestamp(from), to: parseTimestamp(to) };
        const added = toOverride(await addOverride({ ...deps, by }, { ...ref, person, ...times }));
        const location = `/api/v1/pages/${page.slug}/schedules/${ref.slug}/overrides/${added.id}`;
        answerCreated(ctx, location, { body: added });
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: `${onePath}/overrides/:id`,
      ...{ permission: override, operationId: 'deleteOverride' },
      summary: 'Take an override away that has not ended',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        await deleteOverride({ ...deps, by: call.by }, { ...slugRef(call), id: call.params['id'] ?? '' });
        answerDone(call.ctx);
      },
    }),
  ];
}

function feedRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'POST', path: `${onePath}/feed`, permission: write, operationId: 'rotateScheduleFeed' },
      summary: 'Give the calendar of a schedule a secret address',
      description:
        'Give the calendar of a schedule a secret address, which calendar applications subscribe to. The address before stops working. `?person=` behind it, with an email, shows the shifts of one person',
      answers: { 201: ScheduleFeed },
      errors: ['notFound'],
      async manage(call) {
        const token = await rotateFeed({ ...deps, by: call.by }, slugRef(call));
        call.ctx.status = 201;
        call.ctx.set('cache-control', 'no-store');
        call.ctx.body = { url: `${deps.baseUrl().replace(/\/$/, '')}/on-call/${token}.ics` };
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: `${onePath}/feed`, permission: write, operationId: 'removeScheduleFeed' },
      summary: 'Take the calendar of a schedule away',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        await removeFeed({ ...deps, by: call.by }, slugRef(call));
        answerDone(call.ctx);
      },
    }),
  ];
}

/** Time, overrides and roles move without a change of what PUT and PATCH change. */
function representAt({ clock }: CommandRoutesDeps): (schedule: Schedule) => Representation {
  const volatile = ['overrides', 'withoutRole', 'gaps', 'hasFeed'];
  return (schedule) => ({ body: toManagedSchedule(schedule, clock.now()), volatile });
}

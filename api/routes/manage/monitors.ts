import {
  ChangeMonitor,
  CreatedMonitor,
  CreateMonitor,
  ManagedMonitor,
  PutMonitor,
} from '../../../contract/manage/monitors.js';
import {
  changeMonitor,
  createMonitor,
  deleteMonitor,
  loadMonitor,
  type Monitor,
  pauseMonitor,
  putMonitor,
  resumeMonitor,
  toManagedMonitor,
} from '../../../control/monitors/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import {
  answerCreated,
  answerPut,
  answerResource,
  preconditionOf,
  putPreconditionOf,
  type Representation,
} from '../../manage/answers.js';
import { listOf } from '../../manage/lists.js';
import { manageBodyRoute, manageRoute, slugRef } from '../../manage/manage-route.js';
import { changeRoute, deleteRoute, readRoute } from '../../manage/resource-routes.js';
import { answerMonitors, monitorsQuery } from '../monitor-reads.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { checkNowRoutes } from './monitors/check-now.js';
import { settingsOfChange, settingsOfWhole } from './monitors/settings.js';

const monitors = '/api/v1/pages/:page/monitors';
const one = `${monitors}/:slug`;
const permission = 'monitors.write';
/** A body of a request that a monitor sends, in JSON, and all else. */
const bytesMax = 256 * 1024;

/** The monitors of a page. */
export function manageMonitorsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    ...readRoutes(deps),
    ...createRoutes(deps),
    ...changeRoutes(deps),
    ...checkNowRoutes(deps, bytesMax),
  ];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const permission = 'telemetry.read';
  return [
    manageRoute({
      ...{ method: 'GET', path: monitors, permission, operationId: 'listMonitors' },
      summary: 'The monitors of a page, in its order',
      query: monitorsQuery,
      answers: { 200: listOf(ManagedMonitor) },
      async manage({ ctx, page, query }) {
        await answerMonitors(deps, ctx, page.id, query);
      },
    }),
    readRoute({
      ...{ path: one, permission, operationId: 'getMonitor' },
      summary: 'One monitor',
      answer: ManagedMonitor,
      load: (call) => loadMonitor(deps, slugRef(call)),
      represent: representMonitor,
    }),
  ];
}

function createRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path: monitors, permission, operationId: 'createMonitor' },
      summary: 'Create a monitor',
      description:
        'Create a monitor; its first check is due within a minute. The answer for a heartbeat has the address that the job must call, and no later one does',
      body: { schema: CreateMonitor, bytesMax },
      answers: { 201: CreatedMonitor },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body: { slug, type: kind, ...fields } }) {
        const input = { pageId: page.id, slug, kind, ...settingsOfWhole(fields) };
        const { monitor, token } = await createMonitor({ ...deps, by }, input);
        deps.onChange(page.id);
        answerCreated(ctx, pathOf(page.slug, slug), representMonitor(monitor), addressOf(deps, token));
      },
    }),
    manageBodyRoute({
      ...{ method: 'PUT', path: one, permission, operationId: 'putMonitor' },
      summary: 'Create a monitor, or replace its settings',
      description:
        'Create a monitor, or replace its settings: those that are absent go back to their defaults, and headers and body that are absent stay. The answer for a new heartbeat has the address that the job must call, and no later one does. If-None-Match: * replaces none',
      body: { schema: PutMonitor, bytesMax },
      answers: { 200: ManagedMonitor, 201: CreatedMonitor },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body, ...call }) {
        const { ctx, page } = call;
        const ref = slugRef(call);
        const { slug = ref.slug, type: kind, ...fields } = body;
        if (slug !== ref.slug) {
          throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
        }
        const check = putPreconditionOf(ctx, representMonitor);
        const input = { ...ref, kind, ...settingsOfWhole(fields) };
        const { monitor, isNew, token } = await putMonitor({ ...deps, by }, input, check);
        deps.onChange(page.id);
        const location = pathOf(page.slug, slug);
        answerPut(ctx, isNew, location, representMonitor(monitor), addressOf(deps, token));
      },
    }),
  ];
}

function changeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    changeRoute({
      ...{ method: 'PATCH', path: one, permission, operationId: 'changeMonitor' },
      summary: 'Change a monitor',
      body: { schema: ChangeMonitor, bytesMax },
      answer: ManagedMonitor,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      represent: representMonitor,
      async change({ by, body, ...call }, check) {
        const settings = settingsOfChange(body);
        const changed = await changeMonitor({ ...deps, by }, slugRef(call), settings, check);
        deps.onChange(call.page.id);
        return changed;
      },
    }),
    deleteRoute({
      ...{ path: one, permission, operationId: 'deleteMonitor' },
      summary: 'Delete a monitor for good',
      description: 'Delete a monitor for good, and remove it from incidents',
      represent: representMonitor,
      async remove(call, check) {
        await deleteMonitor({ ...deps, by: call.by }, slugRef(call), check);
        deps.onChange(call.page.id);
      },
    }),
    switchRoute(deps, 'pause', pauseMonitor, {
      operationId: 'pauseMonitor',
      summary: 'Stop the checks of a monitor',
      description: 'Stop the checks of a monitor. The time until it is resumed counts as not observed',
    }),
    switchRoute(deps, 'resume', resumeMonitor, {
      operationId: 'resumeMonitor',
      summary: 'Resume the checks of a paused monitor',
      description: 'Resume the checks of a paused monitor; the first is due within a minute',
    }),
  ];
}

function switchRoute(
  deps: CommandRoutesDeps,
  verb: 'pause' | 'resume',
  change: typeof pauseMonitor,
  texts: { operationId: string; summary: string; description: string },
) {
  return manageRoute({
    ...{ method: 'POST', path: `${one}/${verb}`, permission, ...texts },
    answers: { 200: ManagedMonitor },
    errors: ['notFound', 'preconditionFailed'],
    async manage(call) {
      const check = preconditionOf(call.ctx, representMonitor);
      const monitor = await change({ ...deps, by: call.by }, slugRef(call), check);
      deps.onChange(call.page.id);
      answerResource(call.ctx, representMonitor(monitor));
    },
  });
}

/** The address that the job must call, which only the answer for a new heartbeat has. */
function addressOf({ baseUrl }: CommandRoutesDeps, token: string | undefined): { url: string } | undefined {
  return token === undefined ? undefined : { url: `${baseUrl().replace(/\/$/, '')}/ping/${token}` };
}

function pathOf(page: string, slug: string): string {
  return `/api/v1/pages/${page}/monitors/${slug}`;
}

/** Fields that checks and pings change. */
const volatile = [
  'lastPingAt',
  'state',
  'stateSince',
  'degradedSince',
  'lastCheckedAt',
  'lastError',
  'unobservedSince',
  'nextDueAt',
] as const;

/** A monitor as one resource. */
function representMonitor(monitor: Monitor): Representation {
  return { body: toManagedMonitor(monitor), volatile };
}

import Type from 'typebox';
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
} from '../../../control/monitors/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { answerCreated, answerDone, answerResource, preconditionOf } from '../../manage/answers.js';
import { listOf } from '../../manage/lists.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { answerMonitors, monitorsQuery } from '../monitor-reads.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { checkNowRoutes } from './monitors/check-now.js';
import { representMonitor } from './monitors/represent.js';
import { settingsOfChange, settingsOfWhole } from './monitors/settings.js';

const monitors = '/api/v1/pages/:page/monitors';
const one = `${monitors}/:slug`;
/** A body of a request that a monitor sends, in JSON, and all else. */
const bytesMax = 256 * 1024;

/** The monitors of a page. */
export function manageMonitorsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps), ...checkNowRoutes(deps, bytesMax)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: monitors,
      operationId: 'listMonitors',
      summary: 'The monitors of a page, in its order',
      permission: 'telemetry.read',
      query: monitorsQuery,
      answers: { 200: listOf(ManagedMonitor) },
      async manage({ ctx, page, query }) {
        await answerMonitors(deps, ctx, page.id, query);
      },
    }),
    manageRoute({
      method: 'GET',
      path: one,
      operationId: 'getMonitor',
      summary: 'One monitor',
      permission: 'telemetry.read',
      answers: { 200: ManagedMonitor, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        answerResource(call.ctx, representMonitor(await loadMonitor(deps, refOf(call))));
      },
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: monitors,
      operationId: 'createMonitor',
      summary: 'Create a monitor',
      description:
        'Create a monitor; its first check is due within a minute. The answer for a heartbeat has the address that the job must call, and no later one does',
      permission: 'monitors.write',
      body: { schema: CreateMonitor, bytesMax },
      answers: { 201: CreatedMonitor },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body: { slug, type: kind, ...fields } }) {
        const input = { pageId: page.id, slug, kind, ...settingsOfWhole(fields) };
        const { monitor, token } = await createMonitor({ ...deps, by }, input);
        deps.onChange(page.id);
        answerCreated(ctx, pathOf(page.slug, slug), representMonitor(monitor), addressOf(token));
      },
    }),
    manageBodyRoute({
      method: 'PUT',
      path: one,
      operationId: 'putMonitor',
      summary: 'Create a monitor, or replace its settings',
      description:
        'Create a monitor, or replace its settings: those that are absent go back to their defaults, and headers and body that are absent stay. The answer for a new heartbeat has the address that the job must call, and no later one does',
      permission: 'monitors.write',
      body: { schema: PutMonitor, bytesMax },
      answers: { 200: ManagedMonitor, 201: CreatedMonitor },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage(call) {
        await put(call);
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: one,
      operationId: 'changeMonitor',
      summary: 'Change a monitor',
      permission: 'monitors.write',
      body: { schema: ChangeMonitor, bytesMax },
      answers: { 200: ManagedMonitor },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representMonitor);
        const settings = settingsOfChange(call.body);
        answerChanged(call, await changeMonitor({ ...deps, by: call.by }, refOf(call), settings, check));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteMonitor',
      summary: 'Delete a monitor for good',
      description: 'Delete a monitor for good, and remove it from incidents',
      permission: 'monitors.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representMonitor);
        await deleteMonitor({ ...deps, by: call.by }, refOf(call), check);
        deps.onChange(call.page.id);
        answerDone(call.ctx);
      },
    }),
    switchRoute('pause', pauseMonitor, {
      operationId: 'pauseMonitor',
      summary: 'Stop the checks of a monitor',
      description: 'Stop the checks of a monitor. The time until it is resumed counts as not observed',
    }),
    switchRoute('resume', resumeMonitor, {
      operationId: 'resumeMonitor',
      summary: 'Resume the checks of a paused monitor',
      description: 'Resume the checks of a paused monitor; the first is due within a minute',
    }),
  ];

  async function put(call: ManageCall<PutMonitor>): Promise<void> {
    const { ctx, by, page, body } = call;
    const { slug = refOf(call).slug, type: kind, ...fields } = body;
    if (slug !== refOf(call).slug) {
      throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
    }
    const precondition = preconditionOf(ctx, representMonitor);
    const check = (current: Monitor | undefined): void => {
      if (current !== undefined) precondition(current);
      else if (ctx.get('if-match') !== '') throw new ServiceError('preconditionFailed');
    };
    const input = { pageId: page.id, slug, kind, ...settingsOfWhole(fields) };
    const { monitor, isNew, token } = await putMonitor({ ...deps, by }, input, check);
    if (!isNew) return answerChanged(call, monitor);
    deps.onChange(page.id);
    answerCreated(ctx, pathOf(page.slug, slug), representMonitor(monitor), addressOf(token));
  }

  function switchRoute(
    verb: 'pause' | 'resume',
    change: typeof pauseMonitor,
    texts: { operationId: string; summary: string; description: string },
  ) {
    return manageRoute({
      ...texts,
      method: 'POST',
      path: `${one}/${verb}`,
      permission: 'monitors.write',
      answers: { 200: ManagedMonitor },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representMonitor);
        answerChanged(call, await change({ ...deps, by: call.by }, refOf(call), check));
      },
    });
  }

  function answerChanged({ ctx, page }: Pick<ManageCall, 'ctx' | 'page'>, monitor: Monitor): void {
    deps.onChange(page.id);
    answerResource(ctx, representMonitor(monitor));
  }

  /** What only the answer for a new heartbeat has: the address that the job must call. */
  function addressOf(token: string | undefined): { url: string } | undefined {
    if (token === undefined) return undefined;
    return { url: `${deps.baseUrl().replace(/\/$/, '')}/ping/${token}` };
  }
}

function refOf({ page, params }: Pick<ManageCall, 'page' | 'params'>) {
  return { pageId: page.id, slug: params['slug'] ?? '' };
}

function pathOf(page: string, slug: string): string {
  return `/api/v1/pages/${page}/monitors/${slug}`;
}

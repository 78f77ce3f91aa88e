import Type from 'typebox';
import {
  AcknowledgeAlert,
  AlertCounts,
  type AlertNotice,
  alertChoices,
  alertOrders,
  alertsQuery,
  CreateSilence,
  ManagedAlert,
  ManagedAlertWithNotices,
  ManagedSilence,
} from '../../../contract/manage/alerts.js';
import {
  type AlertSeverity,
  alertSeverities,
  manageBodyBytesMax as bytesMax,
} from '../../../contract/manage/shared.js';
import {
  type Alert,
  type AlertPosition,
  acknowledgeAlert,
  countAlerts,
  createSilence,
  endSilence,
  listAlerts,
  listNotices,
  listSilences,
  loadAlert,
  type Notice,
  resolveAlert,
  type Silence,
  toManagedAlert,
  unacknowledgeAlert,
} from '../../../control/alerts/index.js';
import type { Position } from '../../../lib/cursor.js';
import { invalidValue } from '../../../lib/query-parameters.js';
import { ServiceError } from '../../../lib/service-error.js';
import { minuteMs } from '../../../lib/times.js';
import { answerDone, answerResource, type Representation } from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { idAt, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const list = '/api/v1/pages/:page/alerts';
const one = `${list}/:id`;
const counts = '/api/v1/pages/:page/alert-counts';
const silences = '/api/v1/pages/:page/silences';

/** The alerts of a page, and what holds their messages back. */
export function manageAlertsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...answerRoutes(deps), ...silenceRoutes(deps)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path: list, permission: 'telemetry.read', operationId: 'listAlerts' },
      summary: 'The alerts of a page, newest or worst first',
      query: Type.Object({ ...alertsQuery, ...listParameters }),
      answers: { 200: listOf(ManagedAlert) },
      errors: ['invalidParameter'],
      async manage({ ctx, page, query }) {
        const state = oneOf('state', alertChoices, query.state) ?? 'open';
        const order = oneOf('order', alertOrders, query.order) ?? 'newest';
        const severity = oneOf('severity', alertSeverities, query.severity);
        const { rule, incident } = query;
        const filter = { pageId: page.id, state, order, rule, severity, incident };
        const paging = createPaging(deps.secretKey, `alerts ${JSON.stringify(filter)}`);
        const { limit, after } = paging.parse(query);
        const rows = await listAlerts(deps, { ...filter, limit: limit + 1, after: positionAt(after) });
        paging.answer(ctx, { rows, limit, toItem: toManagedAlert, positionOf });
      },
    }),
    manageRoute({
      ...{ method: 'GET', path: counts, permission: 'telemetry.read', operationId: 'countAlerts' },
      summary: 'How many alerts of a page are open, by how they are',
      answers: { 200: AlertCounts, 304: Type.Null() },
      async manage({ ctx, page }) {
        answerResource(ctx, {
          body: await countAlerts(deps, { pageId: page.id, now: deps.clock.now() }),
        });
      },
    }),
    readRoute({
      ...{ path: one, permission: 'telemetry.read', operationId: 'getAlert' },
      summary: 'An alert with its evidence, and who was told of it',
      answer: ManagedAlertWithNotices,
      async load(call) {
        const alert = await loadAlert(deps, idRef(call));
        const { pageId, toldBatch: batchId } = alert;
        const notices = batchId === null ? [] : await listNotices(deps, { pageId, batchId });
        return { alert, notices };
      },
      represent: ({ alert, notices }) => ({
        body: { ...toManagedAlert(alert), notified: notices.map(noticeJson) },
        volatile: ['notified', 'toldAt'],
      }),
    }),
  ];
}

const positionOf = ({ severity, id }: Alert): Position => [severity, id];

function positionAt(after: Position | undefined): AlertPosition | undefined {
  // Only positionOf() makes one.
  return after && { severity: after[0] as AlertSeverity, id: String(after[1]) };
}

function oneOf<Value extends string>(
  name: string,
  allowed: readonly Value[],
  given: string | undefined,
): Value | undefined {
  const found = allowed.find((value) => value === given);
  if (given !== undefined && found === undefined)
    throw invalidValue(name, `one of ${allowed.join(', ')}`, given);
  return found;
}

function answerRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const answered = {
    permission: 'alerts.acknowledge',
    body: { schema: AcknowledgeAlert, bytesMax, isOptional: true },
    answers: { 200: ManagedAlert },
    errors: ['invalidBody', 'notFound', 'conflict'],
  } as const;
  return [
    manageBodyRoute({
      ...{ ...answered, method: 'POST', path: `${one}/acknowledge`, operationId: 'acknowledgeAlert' },
      summary: 'Say that you look after an alert',
      description:
        'Say that you look after an alert: nobody else is called and nobody is reminded until it is over or gets worse',
      async manage({ by, body, ...call }) {
        const input = { ...idRef(call), note: body.note ?? null };
        answerResource(call.ctx, represent(await acknowledgeAlert({ ...deps, by }, input)));
      },
    }),
    manageRoute({
      ...{ method: 'POST', path: `${one}/unacknowledge`, operationId: 'unacknowledgeAlert' },
      summary: 'Take an acknowledgement back',
      description: 'Take an acknowledgement back: reminders and escalation go on within a minute',
      permission: 'alerts.acknowledge',
      answers: { 200: ManagedAlert },
      errors: ['notFound', 'conflict'],
      async manage({ by, ...call }) {
        answerResource(call.ctx, represent(await unacknowledgeAlert({ ...deps, by }, idRef(call))));
      },
    }),
    manageBodyRoute({
      ...{ ...answered, method: 'POST', path: `${one}/resolve`, operationId: 'resolveAlert' },
      summary: 'End an alert by hand',
      description:
        'End an alert by hand. The rule begins another one only after its condition did not hold for once',
      async manage({ by, body, ...call }) {
        const input = { ...idRef(call), note: body.note ?? null };
        answerResource(call.ctx, represent(await resolveAlert({ ...deps, by }, input)));
        deps.onAnnounced();
      },
    }),
  ];
}

function silenceRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: silences, permission: 'telemetry.read', operationId: 'listSilences' },
      summary: 'The silences of a page, newest first',
      item: ManagedSilence,
      nameOf: ({ page }) => `silences ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listSilences(deps, { pageId: page.id, limit, after: idAt(after) }),
      toItem: (silence) => silenceJson(silence, deps.clock.now()),
      positionOf: ({ id }: Silence) => [id],
    }),
    manageBodyRoute({
      ...{ method: 'POST', path: silences, permission: 'alerts.acknowledge', operationId: 'createSilence' },
      summary: 'Silence alerts for some time',
      description:
        'Silence alerts for some time: those of a rule, a service, an endpoint or a severity, or all. They are shown, and nobody is told',
      body: { schema: CreateSilence, bytesMax },
      answers: { 201: ManagedSilence },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body: { minutes, endsAt, ...given } }) {
        const now = deps.clock.now();
        if ((minutes === undefined) === (endsAt === undefined))
          throw new ServiceError('invalidBody', { message: 'Give one of /minutes and /endsAt.' });
        const end = minutes === undefined ? Date.parse(endsAt ?? '') : now + minutes * minuteMs;
        const { rule = null, service = null, endpoint = null, severity = null, note = '' } = given;
        const input = { pageId: page.id, rule, service, endpoint, severity, note, endsAt: end };
        const silence = await createSilence({ ...deps, by }, input);
        ctx.status = 201;
        ctx.body = silenceJson(silence, now);
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: `${silences}/:id`, permission: 'alerts.acknowledge' },
      operationId: 'endSilence',
      summary: 'End a silence',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ by, ...call }) {
        await endSilence({ ...deps, by }, idRef(call));
        answerDone(call.ctx);
      },
    }),
  ];
}

function represent(alert: Alert): Representation {
  return { body: toManagedAlert(alert) };
}

function noticeJson({ at, ...notice }: Notice): AlertNotice {
  return { ...notice, at: at.toISOString() };
}

function silenceJson({ createdAt, endsAt, ...silence }: Silence, now: number): ManagedSilence {
  return {
    ...silence,
    createdAt: createdAt.toISOString(),
    endsAt: endsAt.toISOString(),
    isActive: endsAt.getTime() > now,
  };
}

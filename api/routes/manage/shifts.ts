import Type from 'typebox';
import {
  OnCall,
  PersonOnCall,
  PreviewSchedule,
  ScheduleShifts,
  scheduleLimits,
} from '../../../contract/manage/schedules.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  draftSchedule,
  listPeopleToCall,
  listSchedules,
  loadSchedule,
  type Schedule,
  toOnCall,
  toShifts,
} from '../../../control/schedules/index.js';
import type { Position } from '../../../lib/cursor.js';
import { type Parameters, parseEnds, parseMoment } from '../../../lib/query-parameters.js';
import { ServiceError } from '../../../lib/service-error.js';
import { dayMs } from '../../../lib/times.js';
import {
  type ManageBodyRoute,
  type ManageRoute,
  manageBodyRoute,
  manageRoute,
  slugRef,
} from '../../manage/manage-route.js';
import { listRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const schedulesPath = '/api/v1/pages/:page/schedules';
const read = 'telemetry.read';

/** Who is on call, when, and who can be. */
export function shiftRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...onCallRoutes(deps), ...rangeRoutes(deps), peopleRoute(deps)];
}

function onCallRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      path: '/api/v1/pages/:page/on-call',
      ...{ permission: read, operationId: 'listOnCall' },
      summary: 'Who is on call now by each schedule of a page, and who is next',
      item: OnCall,
      nameOf: ({ page }) => `on-call ${page.id}`,
      load: async ({ page }, { after }) =>
        behindSlug(await listSchedules(deps.sql, { pageId: page.id, since: deps.clock.now() }), after),
      toItem: (schedule: Schedule) => toOnCall(schedule, deps.clock.now()),
      positionOf: bySlug,
    }),
    manageRoute({
      ...{
        method: 'GET',
        path: `${schedulesPath}/:slug/on-call`,
        permission: read,
        operationId: 'getOnCall',
      },
      summary: 'Who is on call by a schedule, until when, and who is next',
      query: Type.Object({
        at: Type.Optional(
          Type.String({ description: 'A time, such as 2026-12-24T20:00:00Z; now when absent.' }),
        ),
      }),
      answers: { 200: OnCall },
      errors: ['invalidParameter', 'notFound'],
      async manage(call) {
        const at = parseMoment('at', call.query.at, deps.clock.now());
        call.ctx.body = toOnCall(await loadSchedule(deps.sql, { ...slugRef(call), since: at }), at);
      },
    }),
  ];
}

function rangeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{
        method: 'GET',
        path: `${schedulesPath}/:slug/shifts`,
        permission: read,
        operationId: 'listShifts',
      },
      summary: 'The shifts of a schedule, with its gaps',
      query: Type.Object({
        ...rangeParameters(scheduleLimits.rangeDays),
        with: Type.Optional(Type.String({ description: '`layers` adds what each layer covers by itself.' })),
      }),
      answers: { 200: ScheduleShifts },
      errors: ['invalidParameter', 'notFound'],
      async manage(call) {
        const range = parseShiftRange(call.query, deps.clock.now());
        const withLayers = parseWith(call.query.with);
        const schedule = await loadSchedule(deps.sql, { ...slugRef(call), since: range.from });
        call.ctx.body = toShifts(schedule, range, { withLayers });
      },
    }),
    previewRoute(deps),
  ];
}

function peopleRoute(deps: CommandRoutesDeps): ManageRoute {
  return listRoute(deps, {
    path: '/api/v1/pages/:page/on-call/people',
    ...{ permission: 'alerts.acknowledge', operationId: 'listPeopleToCall' },
    summary: 'The people of a page who can be put on call, by email',
    item: PersonOnCall,
    nameOf: ({ page }) => `people to call ${page.id}`,
    load: ({ page }, { limit, after }) =>
      listPeopleToCall(deps.sql, { pageId: page.id, limit, after: after && String(after[0]) }),
    toItem: (person: PersonOnCall) => person,
    positionOf: ({ email }) => [email],
  });
}

function previewRoute(deps: CommandRoutesDeps): ManageBodyRoute {
  return manageBodyRoute({
    ...{
      method: 'POST',
      path: `${schedulesPath}/preview`,
      permission: 'notifications.write',
      operationId: 'previewSchedule',
    },
    summary: 'The shifts of a schedule that is not saved, with its gaps',
    description:
      'The shifts of a schedule that is not saved, without overrides, with its gaps and with what each layer covers by itself. Nothing is stored',
    query: Type.Object(rangeParameters(scheduleLimits.previewDays)),
    body: { schema: PreviewSchedule, bytesMax },
    answers: { 200: ScheduleShifts },
    errors: ['invalidBody', 'invalidParameter'],
    async manage({ ctx, page, query, body }) {
      const range = parseShiftRange(query, deps.clock.now(), scheduleLimits.previewDays);
      const draft = await draftSchedule(deps.sql, { pageId: page.id, ...body });
      ctx.body = toShifts(draft, range, { withLayers: true });
    },
  });
}

const rangeParameters = (daysMax: number) => ({
  from: Type.Optional(Type.String({ description: 'A time; now when absent.' })),
  to: Type.Optional(
    Type.String({
      description: `A time, at most ${daysMax} days after \`from\`; ${scheduleLimits.warnedDays} days after it when absent.`,
    }),
  ),
});

/** @throws ServiceError `invalidParameter` */
function parseWith(text: string | undefined): boolean {
  if (text === undefined || text === 'layers') return text !== undefined;
  throw new ServiceError('invalidParameter', { message: 'Parameter "with" must be layers.' });
}

/** @throws ServiceError `invalidParameter` */
function parseShiftRange(
  query: Parameters<'from' | 'to'>,
  now: number,
  daysMax: number = scheduleLimits.rangeDays,
): { from: number; to: number } {
  const { from = now, to = from + scheduleLimits.warnedDays * dayMs } = parseEnds(query, now);
  const message =
    from >= to
      ? 'Parameter "to" must be after "from", which is now unless it is given.'
      : to - from > daysMax * dayMs
        ? `Parameter "to" must be at most ${daysMax} days after "from".`
        : undefined;
  if (message !== undefined) throw new ServiceError('invalidParameter', { message });
  return { from, to };
}

/** The position of a row in a list by slug. */
export const bySlug = ({ slug }: { slug: string }): Position => [slug];

/** The rows behind a position of bySlug(). The lists are so short that they are read as a whole. */
export function behindSlug<Row extends { slug: string }>(
  rows: readonly Row[],
  after: Position | undefined,
): readonly Row[] {
  const slug = after === undefined ? '' : String(after[0]);
  return rows.filter((row) => row.slug > slug);
}

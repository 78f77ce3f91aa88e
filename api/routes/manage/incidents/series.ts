import type { Context } from 'koa';
import Type from 'typebox';
import { incidentLimits } from '../../../../contract/incidents.js';
import {
  ChangeMaintenanceSeries,
  CreateMaintenanceSeries,
  ListedOccurrence,
  MaintenanceSeries,
  PreviewMaintenanceSeries,
  SeriesPreview,
  seriesLimits,
} from '../../../../contract/manage/incidents/maintenance-series.js';
import {
  changeSeries,
  createSeries,
  deleteSeries,
  findSeries,
  listOccurrences,
  listSeries,
  previewSeries,
  type SeriesRef,
  skipOccurrence,
  unskipOccurrence,
} from '../../../../control/maintenance-series/index.js';
import { forgetIncidentEmails } from '../../../../control/subscribers/index.js';
import { parseId, type SeriesId } from '../../../../lib/ids.js';
import { invalidValue } from '../../../../lib/query-parameters.js';
import { parseTimestamp } from '../../../../lib/timestamp.js';
import { answerDone, answerResource, preconditionOf, type Representation } from '../../../manage/answers.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../../manage/manage-route.js';
import { publishKeyOf } from '../../../manage/publish-key.js';
import { byId, idAt, listRoute } from '../../../manage/resource-routes.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';
import { found, withinLimits } from './answers.js';
import { parseRange } from './filter.js';

const list = '/api/v1/pages/:page/maintenance-series';
const one = `${list}/:id`;
const { bodyBytes: bytesMax } = incidentLimits;

/** Maintenance that recurs. */
export function manageSeriesRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...planRoutes(deps), ...changeRoutes(deps), ...skipRoutes(deps)];
}

function readRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: list, permission: 'telemetry.read', operationId: 'listMaintenanceSeries' },
      summary: 'The maintenance series of a page, oldest first',
      item: MaintenanceSeries,
      nameOf: ({ page }) => `series ${page.id}`,
      load: ({ page }, { limit, after }) => listSeries(deps, { pageId: page.id, limit, after: idAt(after) }),
      toItem: (row) => row,
      positionOf: byId,
    }),
    manageRoute({
      method: 'GET',
      path: one,
      operationId: 'getMaintenanceSeries',
      summary: 'A maintenance series with its next occurrences',
      permission: 'telemetry.read',
      answers: { 200: MaintenanceSeries, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        await answerSeries(call.ctx, deps, refOf(call));
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/maintenance-occurrences',
      operationId: 'listMaintenanceOccurrences',
      summary: 'The occurrences of all maintenance series of a page in a range, by their starts',
      description: `The occurrences of all maintenance series of a page that have not ended and start in a range of at most ${seriesLimits.rangeDaysMax} days, by their starts; at most ${seriesLimits.listed}`,
      permission: 'telemetry.read',
      query: Type.Object({
        from: Type.Optional(
          Type.String({
            description: 'First start: a time such as 2026-12-01T00:00:00Z or a date; now when absent.',
          }),
        ),
        to: Type.Optional(
          Type.String({
            description: `End of the range of starts; ${seriesLimits.rangeDaysMax} days after from when absent.`,
          }),
        ),
      }),
      answers: { 200: Type.Object({ items: Type.Array(ListedOccurrence) }) },
      errors: ['invalidParameter'],
      async manage({ ctx, page, query }) {
        const range = parseRange(query, { now: deps.clock.now(), daysMax: seriesLimits.rangeDaysMax });
        ctx.body = { items: await listOccurrences(deps, { pageId: page.id, ...range }) };
      },
    }),
  ];
}

function planRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: list,
      operationId: 'createMaintenanceSeries',
      summary: 'Plan maintenance that recurs',
      description: `Plan maintenance that recurs. Each occurrence is published as a maintenance of its own, some days before it. A page has at most ${seriesLimits.perPage} series`,
      permission: 'incidents.write',
      body: { schema: CreateMaintenanceSeries, bytesMax },
      takesIdempotencyKey: true,
      answers: { 201: MaintenanceSeries },
      errors: ['invalidParameter', 'invalidBody', 'conflict'],
      async manage({ ctx, by, page, body }) {
        const publishKey = publishKeyOf(ctx, 'series', body);
        const seriesId = await createSeries({ ...deps, by }, { pageId: page.id, body, publishKey });
        ctx.set('location', `/api/v1/pages/${page.slug}/maintenance-series/${seriesId}`);
        await answerSeries(ctx, deps, { pageId: page.id, seriesId }, 201);
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path: `${list}/preview`,
      operationId: 'previewMaintenanceSeries',
      summary: 'When a rule would have its next occurrences',
      permission: 'incidents.write',
      body: { schema: PreviewMaintenanceSeries, bytesMax },
      answers: { 200: SeriesPreview },
      errors: ['invalidBody'],
      async manage({ ctx, page, body }) {
        ctx.body = await previewSeries(deps, { pageId: page.id, body });
      },
    }),
  ];
}

function changeRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'PATCH',
      path: one,
      operationId: 'changeMaintenanceSeries',
      summary: 'Change a maintenance series',
      description:
        'Change a maintenance series, and what it has published: maintenance that is still to come and that nobody has edited. Only the first of these is announced, and only when the times change, unless notify says otherwise. With other times, the first such maintenance moves to the first new time, and so on; what has no place then is deleted',
      permission: 'incidents.write',
      body: { schema: ChangeMaintenanceSeries, bytesMax },
      answers: { 200: MaintenanceSeries },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const { ctx, by, page, body } = call;
        const ref = refOf(call);
        const check = preconditionOf(ctx, representSeries);
        const verb = changeSeries(
          { ...deps, by, forgetEmails: forgetIncidentEmails },
          { ...ref, body },
          check,
        );
        found(await withinLimits(verb));
        deps.onChange(page.id);
        deps.onAnnounced();
        await answerSeries(ctx, deps, ref);
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteMaintenanceSeries',
      summary: 'Delete a maintenance series',
      description:
        'Delete a maintenance series. What it has published stays, unless the parameter published says otherwise. Nothing is announced',
      permission: 'incidents.write',
      query: Type.Object({
        published: Type.Optional(
          Type.Enum(['keep', 'delete'], {
            description:
              'delete: maintenance that the series has published goes as well, where it is still to come and nobody has edited it; keep when absent.',
          }),
        ),
      }),
      answers: { 204: Type.Null() },
      errors: ['invalidParameter', 'notFound', 'preconditionFailed'],
      async manage(call) {
        const { ctx, by, page, query } = call;
        const published = query.published ?? 'keep';
        if (published !== 'keep' && published !== 'delete') {
          throw invalidValue('published', 'keep or delete', published);
        }
        const input = { ...refOf(call), withPublished: published === 'delete' };
        const work = { ...deps, by, forgetEmails: forgetIncidentEmails };
        found(await deleteSeries(work, input, preconditionOf(ctx, representSeries)));
        deps.onChange(page.id);
        answerDone(ctx);
      },
    }),
  ];
}

function skipRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'PUT',
      path: `${one}/skips/:startsAt`,
      operationId: 'skipMaintenanceOccurrence',
      summary: 'Leave out one occurrence of a maintenance series',
      description:
        'Leave out one occurrence of a maintenance series that is not published yet; the path has its start, such as 2026-12-06T01:00:00Z. A published one is deleted as the maintenance that it is',
      permission: 'incidents.write',
      answers: { 200: MaintenanceSeries },
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representSeries);
        await skipOccurrence({ ...deps, by: call.by }, { ...refOf(call), startsAt: startOf(call) }, check);
        await answerSeries(call.ctx, deps, refOf(call));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: `${one}/skips/:startsAt`,
      operationId: 'unskipMaintenanceOccurrence',
      summary: 'Take an occurrence that was left out back into its maintenance series',
      permission: 'incidents.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representSeries);
        await unskipOccurrence({ ...deps, by: call.by }, { ...refOf(call), startsAt: startOf(call) }, check);
        answerDone(call.ctx);
      },
    }),
  ];
}

type PathOf = Pick<ManageCall, 'page' | 'params'>;

/** @throws ServiceError `notFound` for what is not the form of an id. */
function refOf({ page, params }: PathOf): SeriesRef {
  return { pageId: page.id, seriesId: found(parseId<SeriesId>(params['id'] ?? '')) };
}

/** @throws ServiceError `notFound` for what is not a time. */
function startOf({ params }: PathOf): Date {
  const at = parseTimestamp(params['startsAt'] ?? '');
  return new Date(found(Number.isNaN(at) ? undefined : at));
}

async function answerSeries(
  ctx: Context,
  deps: ManageRoutesDeps,
  ref: SeriesRef,
  status: 200 | 201 = 200,
): Promise<void> {
  answerResource(ctx, representSeries(found(await findSeries(deps, ref))), status);
}

/** The revision stands for what people change. Time passes, and occurrences are published. */
function representSeries({ id, revision, ...rest }: { id: string; revision: number }): Representation {
  return { body: { ...rest, id, revision }, volatile: Object.keys(rest) };
}

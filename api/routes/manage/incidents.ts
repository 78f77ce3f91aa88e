import Type from 'typebox';
import { incidentLimits, incidentTypes } from '../../../contract/incidents.js';
import {
  ChangeManagedIncident,
  CreateManagedIncident,
  incidentStates,
  ListedIncident,
  ManagedIncident,
} from '../../../contract/manage/incidents/incidents.js';
import {
  changeIncident,
  createIncidentOnce,
  deleteIncident,
  listManagedIncidents,
  type ProvidedTexts,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
  parseProvidedTexts,
} from '../../../control/incidents/index.js';
import { forgetIncidentEmails } from '../../../control/subscribers/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { answerDone } from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { publishKeyOf } from '../../manage/publish-key.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { answerIncident, checkOf, found, incidentIdOf, withinLimits } from './incidents/answers.js';
import { parseFilter } from './incidents/filter.js';
import { incidentPartsRoutes } from './incidents/parts.js';
import { postmortemRoutes } from './incidents/postmortems.js';

const path = '/api/v1/pages/:page/incidents';
const { bodyBytes: bytesMax } = incidentLimits;

/** The incidents and maintenance of a page, with their timelines and texts. */
export function manageIncidentsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    ...readRoutes(deps),
    ...changeRoutes(deps),
    ...incidentPartsRoutes(deps),
    ...postmortemRoutes(deps),
  ];
}

/** Translations of a first update that is not there. @throws ServiceError `invalidBody` */
function refuseBodies(texts: ProvidedTexts): void {
  const [language] = Object.entries(texts).find(([, { body }]) => body !== undefined) ?? [];
  if (language === undefined) return;
  throw new ServiceError('invalidBody', {
    message: `/texts/${language}/body must come with /update, whose body it translates.`,
  });
}

const time = (what: string) =>
  Type.Optional(
    Type.String({ description: `${what} of the start: a time such as 2026-01-31T23:00:00Z or a date.` }),
  );

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path,
      operationId: 'listIncidents',
      summary: 'The incidents and maintenance of a page, latest start first',
      permission: 'telemetry.read',
      query: Type.Object({
        ...listParameters,
        state: Type.Optional(
          Type.Enum([...incidentStates], {
            description: 'open: without an end, and not ahead; scheduled: maintenance that is yet to begin.',
          }),
        ),
        type: Type.Optional(Type.Enum([...incidentTypes], { description: 'All types when absent.' })),
        from: time('First time'),
        to: time('End'),
      }),
      answers: { 200: listOf(ListedIncident) },
      errors: ['invalidParameter'],
      async manage({ ctx, page, query }) {
        const { from, to, state, type } = parseFilter(query);
        const filters = [state, type, from?.getTime(), to?.getTime()].map((part) => part ?? '').join(' ');
        const paging = createPaging(deps.secretKey, `incidents ${page.id} ${filters}`);
        const { limit, after } = paging.parse(query);
        const rows = await listManagedIncidents(deps, {
          ...{ pageId: page.id, state, type, from, to, limit: limit + 1 },
          after: after && [Number(after[0]), String(after[1])],
        });
        const positionOf = (row: ListedIncident) => [Date.parse(row.startedAt), row.id];
        paging.answer(ctx, { rows, limit, toItem: (row) => row, positionOf });
      },
    }),
    manageRoute({
      method: 'GET',
      path: `${path}/:id`,
      operationId: 'getIncident',
      summary: 'An incident with its timeline, its texts in all languages, and what announced it',
      permission: 'telemetry.read',
      query: Type.Object({
        language: Type.Optional(
          Type.String({ description: 'Answers with the texts of this language and the default one alone.' }),
        ),
      }),
      answers: { 200: ManagedIncident, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, page, params, query }) {
        const { language } = query;
        await answerIncident(ctx, deps, { pageId: page.id, incidentId: incidentIdOf(params), language });
      },
    }),
  ];
}

function changeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path,
      operationId: 'openIncident',
      summary: 'Open an incident, or schedule maintenance',
      description:
        'Open an incident, or schedule maintenance. It is announced by email and webhook, as those of the Incident API are, unless notify is false',
      permission: 'incidents.write',
      body: { schema: CreateManagedIncident, bytesMax },
      takesIdempotencyKey: true,
      answers: { 201: ManagedIncident },
      errors: ['invalidParameter', 'invalidBody', 'conflict'],
      async manage({ ctx, by, page, body }) {
        const now = new Date(deps.clock.now()).toISOString();
        const input = parseNewIncident({ ...body, startedAt: body.startedAt ?? now });
        const first = body.update && parseNewUpdate(body.update);
        const texts = parseProvidedTexts(body.texts);
        if (first === undefined) refuseBodies(texts);
        const publishKey = publishKeyOf(ctx, 'incident', body);
        const { notify } = body;
        const fields = { pageId: page.id, input, first, texts, notify, knownMonitors: true, publishKey };
        const id = await withinLimits(createIncidentOnce({ ...deps, by }, fields));
        deps.onChange(page.id);
        deps.onAnnounced();
        ctx.set('location', `/api/v1/pages/${page.slug}/incidents/${id}`);
        const incidentId = incidentIdOf({ id });
        await answerIncident(ctx, deps, { pageId: page.id, incidentId }, 201);
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: `${path}/:id`,
      operationId: 'editIncident',
      summary: 'Change, resolve or reopen an incident',
      description:
        'Change, resolve or reopen an incident. That is announced unless notify is false; use the texts to correct them in silence',
      permission: 'incidents.write',
      body: { schema: ChangeManagedIncident, bytesMax },
      answers: { 200: ManagedIncident },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, params, body }) {
        const ref = { pageId: page.id, incidentId: incidentIdOf(params) };
        const change = parseIncidentChange(body);
        const input = { ...ref, change, knownMonitors: true, check: checkOf(ctx) };
        found(await withinLimits(changeIncident({ ...deps, by }, input)));
        deps.onChange(page.id);
        deps.onAnnounced();
        await answerIncident(ctx, deps, ref);
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'deleteIncident',
      summary: 'Delete an incident with its timeline, and what waits to announce it',
      description:
        'Delete an incident with its timeline, and what waits to announce it. Nothing is announced; resolve it to say that it is over',
      permission: 'incidents.write',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, by, page, params }) {
        const ref = { pageId: page.id, incidentId: incidentIdOf(params) };
        found(await deleteIncident({ ...deps, by, forgetEmails: forgetIncidentEmails }, ref));
        deps.onChange(page.id);
        answerDone(ctx);
      },
    }),
  ];
}

import Type from 'typebox';
import { incidentLimits } from '../../../../contract/incidents.js';
import {
  AppendedManagedUpdate,
  AppendManagedUpdate,
  CorrectUpdate,
  ManagedIncident,
  SetIncidentTexts,
} from '../../../../contract/manage/incidents/incidents.js';
import {
  appendUpdate,
  correctUpdate,
  deleteUpdate,
  loadManagedUpdate,
  parseNewUpdate,
  parseProvidedTexts,
  parseUpdateCorrection,
  setIncidentTexts,
} from '../../../../control/incidents/index.js';
import { answerDone } from '../../../manage/answers.js';
import { manageBodyRoute, manageRoute } from '../../../manage/manage-route.js';
import { publishKeyOf } from '../../../manage/publish-key.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';
import { answerIncident, checkOf, found, incidentIdOf, updateIdOf, withinLimits } from './answers.js';

const path = '/api/v1/pages/:page/incidents/:id';
const { bodyBytes: bytesMax } = incidentLimits;

/** The timeline of an incident, and its texts by language. */
export function incidentPartsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: `${path}/updates`,
      operationId: 'postUpdate',
      summary: 'Add to the timeline of an incident',
      permission: 'incidents.write',
      body: { schema: AppendManagedUpdate, bytesMax },
      takesIdempotencyKey: true,
      answers: { 201: AppendedManagedUpdate },
      errors: ['invalidParameter', 'invalidBody', 'notFound', 'conflict'],
      async manage({ ctx, by, page, params, body }) {
        const ref = { pageId: page.id, incidentId: incidentIdOf(params) };
        const input = parseNewUpdate(body);
        const texts = parseProvidedTexts(body.texts);
        const publishKey = publishKeyOf(ctx, `update ${ref.incidentId}`, body);
        const fields = { ...ref, input, texts, publishKey };
        const update = found(await withinLimits(appendUpdate({ ...deps, by }, fields)));
        deps.onChange(page.id);
        deps.onAnnounced();
        const updateId = updateIdOf({ updateId: update.id });
        const location = `/api/v1/pages/${page.slug}/incidents/${ref.incidentId}/updates/${updateId}`;
        const stored = found(await loadManagedUpdate(deps, { ...ref, updateId }));
        // Without a tag: If-Match takes the tag of the incident.
        ctx.status = 201;
        ctx.set('location', location);
        ctx.body = { ...update, ...stored };
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: `${path}/updates/:updateId`,
      operationId: 'correctUpdate',
      summary: 'Correct an update',
      description:
        'Correct an update. Nothing is announced unless notify is true, and what went out before stays as it was. If-Match takes the tag of the incident',
      permission: 'incidents.write',
      body: { schema: CorrectUpdate, bytesMax },
      answers: { 200: ManagedIncident },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, params, body }) {
        const ref = { pageId: page.id, incidentId: incidentIdOf(params) };
        const correction = parseUpdateCorrection(body);
        const input = { ...ref, updateId: updateIdOf(params), correction, check: checkOf(ctx) };
        found(await withinLimits(correctUpdate({ ...deps, by }, input)));
        deps.onChange(page.id);
        if (correction.notify) deps.onAnnounced();
        await answerIncident(ctx, deps, ref);
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: `${path}/updates/:updateId`,
      operationId: 'deleteUpdate',
      summary: 'Delete an update, and what waits to announce it',
      description:
        'Delete an update, and what waits to announce it. Nothing is announced. An incident that it has resolved stays resolved',
      permission: 'incidents.write',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, by, page, params }) {
        const ref = { pageId: page.id, incidentId: incidentIdOf(params), updateId: updateIdOf(params) };
        found(await deleteUpdate({ ...deps, by }, ref));
        deps.onChange(page.id);
        answerDone(ctx);
      },
    }),
    manageBodyRoute({
      method: 'PUT',
      path: `${path}/texts/:language`,
      operationId: 'setIncidentTexts',
      summary: 'Write or correct the texts of an incident in one language of the page',
      description:
        'Write or correct the texts of an incident in one language of the page; in its default language, the originals. The machine never overwrites a translation by a person. Nothing is announced unless notify is true',
      permission: 'incidents.write',
      body: { schema: SetIncidentTexts, bytesMax },
      answers: { 200: ManagedIncident },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, params, body: { notify = false, ...texts } }) {
        const ref = { pageId: page.id, incidentId: incidentIdOf(params) };
        const language = params['language'] ?? '';
        const input = { ...ref, language, texts, notify, check: checkOf(ctx) };
        found(await withinLimits(setIncidentTexts({ ...deps, by }, input)));
        deps.onChange(page.id);
        if (notify) deps.onAnnounced();
        await answerIncident(ctx, deps, ref);
      },
    }),
  ];
}

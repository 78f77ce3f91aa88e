import Type from 'typebox';
import { Postmortem, PutPostmortem } from '../../../../contract/manage/incidents/postmortems.js';
import {
  deletePostmortem,
  findPostmortem,
  type PostmortemRef,
  putPostmortem,
  type Postmortem as StoredPostmortem,
  toManagedPostmortem,
} from '../../../../control/postmortems/index.js';
import {
  answerDone,
  answerPut,
  answerResource,
  preconditionOf,
  putPreconditionOf,
  type Representation,
} from '../../../manage/answers.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';
import { found, incidentIdOf } from './answers.js';

const path = '/api/v1/pages/:page/incidents/:id/postmortem';
/** A body of 40,000 characters in several languages. */
const bytesMax = 512 * 1024;

/** The lessons of an incident that is over. */
export function postmortemRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path,
      operationId: 'getPostmortem',
      summary: 'The postmortem of an incident, with its translations',
      permission: 'telemetry.read',
      answers: { 200: Postmortem, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        answerResource(call.ctx, represent(found(await findPostmortem(deps.sql, refOf(call)))));
      },
    }),
    manageBodyRoute({
      method: 'PUT',
      path,
      operationId: 'putPostmortem',
      summary: 'Publish the postmortem of an incident, or replace it',
      description:
        'Publish the postmortem of an incident that is over, or replace it. The page and its feeds show it; nobody is notified. If-None-Match: * replaces none',
      permission: 'incidents.write',
      body: { schema: PutPostmortem, bytesMax },
      answers: { 200: Postmortem, 201: Postmortem },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const { ctx, by, page, body } = call;
        const ref = refOf(call);
        const check = putPreconditionOf(ctx, represent);
        const put = await putPostmortem({ ...deps, by }, { ...ref, ...body }, check);
        const { postmortem, isNew } = found(put);
        deps.onChange(page.id);
        const location = `/api/v1/pages/${page.slug}/incidents/${ref.incidentId}/postmortem`;
        answerPut(ctx, isNew, location, represent(postmortem));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path,
      operationId: 'deletePostmortem',
      summary: 'Take the postmortem of an incident back',
      permission: 'incidents.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const precondition = preconditionOf(call.ctx, represent);
        const check = (current: StoredPostmortem | undefined) => precondition(found(current));
        found(await deletePostmortem({ ...deps, by: call.by }, refOf(call), check));
        deps.onChange(call.page.id);
        answerDone(call.ctx);
      },
    }),
  ];
}

const refOf = ({ page, params }: Pick<ManageCall, 'page' | 'params'>): PostmortemRef => ({
  pageId: page.id,
  incidentId: incidentIdOf(params),
});

/** The machine translates by itself, which is no reason to refuse a change. */
function represent(postmortem: StoredPostmortem): Representation {
  return { body: toManagedPostmortem(postmortem), volatile: ['texts'] };
}

import Type from 'typebox';
import { queryLimits, SavedQuery, SaveQuery } from '../../../contract/manage/queries.js';
import {
  createQuery,
  deleteQuery,
  findQuery,
  listQueries,
  type Query,
  type QueryFields,
  type QueryReader,
  replaceQuery,
} from '../../../control/queries/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { answerCreated, answerDone, type Representation } from '../../manage/answers.js';
import type { ManagedPage } from '../../manage/caller.js';
import { idRef, type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, changeRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const list = '/api/v1/pages/:page/queries';
const one = '/api/v1/pages/:page/queries/:id';
const permission = 'telemetry.read';
const body = { schema: SaveQuery, bytesMax: queryLimits.bodyBytes };
const sharing = 'A shared query needs the permission page.write; a query of one person does not';

/** Saved queries: shared ones of a page, and own ones of the person who asks. */
export function manageQueriesRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps)];
}

function readRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: list, permission, operationId: 'listQueries' },
      summary:
        'The saved queries of a page, newest first: shared ones, and the own ones of the person who asks',
      item: SavedQuery,
      nameOf: (call) => `queries ${call.page.id} ${readerOf(call).userId}`,
      load: (call, { limit, after }) =>
        listQueries(deps, { ...readerOf(call), limit, after: after?.map(String) }),
      ...{ toItem: queryJson, positionOf: byId },
    }),
    readRoute({
      ...{ path: one, permission, operationId: 'getQuery' },
      summary: 'A saved query',
      answer: SavedQuery,
      load: (call) => findQuery(deps, refOf(call)),
      represent,
    }),
  ];
}

function writeRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path: list, permission, operationId: 'createQuery' },
      summary: 'Save a query',
      description: `Save a query. ${sharing}`,
      body,
      answers: { 201: SavedQuery },
      errors: ['invalidBody', 'conflict'],
      async manage(call) {
        const { ctx, by, page } = call;
        const fields = fieldsOf(call);
        refuseSharing(page, fields);
        const query = await createQuery({ ...deps, by }, { ...readerOf(call), ...fields });
        answerCreated(ctx, `/api/v1/pages/${page.slug}/queries/${query.id}`, represent(query));
      },
    }),
    changeRoute({
      ...{ method: 'PUT', path: one, permission, operationId: 'replaceQuery' },
      summary: 'Replace a saved query',
      description: `Replace a saved query. ${sharing}`,
      body,
      answer: SavedQuery,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      represent,
      change(call, precondition) {
        const fields = fieldsOf(call);
        const check = (current: Query) => {
          refuseSharing(call.page, current);
          refuseSharing(call.page, fields);
          precondition(current);
        };
        return replaceQuery({ ...deps, by: call.by }, { ...refOf(call), ...fields, check });
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: one, permission, operationId: 'deleteQuery' },
      summary: 'Delete a saved query',
      description: `Delete a saved query. ${sharing}`,
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        const check = (current: Query) => refuseSharing(call.page, current);
        await deleteQuery({ ...deps, by: call.by }, { ...refOf(call), check });
        answerDone(call.ctx);
      },
    }),
  ];
}

function readerOf({ caller, page }: Pick<ManageCall, 'caller' | 'page'>): QueryReader {
  return { pageId: page.id, userId: caller.type === 'user' ? caller.user.userId : null };
}

function refOf(call: Pick<ManageCall, 'caller' | 'page' | 'params'>): QueryReader & { id: string } {
  return { ...readerOf(call), id: idRef(call).id };
}

/** @throws ServiceError `notAllowed` for a key that would save a query for itself */
function fieldsOf({ caller, body }: Pick<ManageCall<SaveQuery>, 'caller' | 'body'>): QueryFields {
  const { name, sql, isShared = caller.type === 'key' } = body;
  if (!isShared && caller.type === 'key') {
    throw new ServiceError('notAllowed', {
      message: 'A key has no queries of its own; it saves shared ones.',
    });
  }
  return { name: name.trim(), sql, isShared };
}

/** @throws ServiceError `notAllowed` */
function refuseSharing({ permissions }: ManagedPage, { isShared }: { isShared: boolean }): void {
  if (isShared && !permissions.has('page.write')) {
    throw new ServiceError('notAllowed', {
      message: 'Shared queries belong to the page; to change them needs the permission page.write.',
    });
  }
}

function represent(query: Query): Representation {
  return { body: queryJson(query) };
}

function queryJson({ createdAt, updatedAt, id, name, sql, isShared }: Query): object {
  return {
    ...{ id, name, sql, isShared },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

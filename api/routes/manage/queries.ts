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
import {
  answerCreated,
  answerDone,
  answerResource,
  preconditionOf,
  type Representation,
} from '../../manage/answers.js';
import type { Caller, ManagedPage } from '../../manage/caller.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const list = '/api/v1/pages/:page/queries';
const one = '/api/v1/pages/:page/queries/:id';
const permission = 'telemetry.read';
const body = { schema: SaveQuery, bytesMax: queryLimits.bodyBytes };
const sharing = 'A shared query needs the permission page.write; a query of one person does not';

/** Saved queries: those that a page shares, and those of the person who asks. */
export function manageQueriesRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps)];
}

function readRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: list,
      operationId: 'listQueries',
      summary: 'The saved queries of a page, newest first: shared ones, and those of the person who asks',
      permission,
      query: Type.Object(listParameters),
      answers: { 200: listOf(SavedQuery) },
      async manage({ ctx, caller, page, query }) {
        const reader = readerOf(caller, page);
        const paging = createPaging(deps.secretKey, `queries ${page.id} ${reader.userId}`);
        const { limit, after } = paging.parse(query);
        const rows = await listQueries(deps, { ...reader, limit: limit + 1, after: after?.map(String) });
        paging.answer(ctx, { rows, limit, toItem: queryJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageRoute({
      method: 'GET',
      path: one,
      operationId: 'getQuery',
      summary: 'A saved query',
      permission,
      answers: { 200: SavedQuery, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, caller, page, params }) {
        const query = await findQuery(deps, { ...readerOf(caller, page), id: params['id'] ?? '' });
        answerResource(ctx, representQuery(query));
      },
    }),
  ];
}

function writeRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: list,
      operationId: 'createQuery',
      summary: 'Save a query',
      description: `Save a query. ${sharing}`,
      permission,
      body,
      answers: { 201: SavedQuery },
      errors: ['invalidBody', 'conflict'],
      async manage(call) {
        const { ctx, caller, by, page } = call;
        const fields = fieldsOf(call);
        refuseSharing(page, fields);
        const query = await createQuery({ ...deps, by }, { ...readerOf(caller, page), ...fields });
        answerCreated(ctx, `/api/v1/pages/${page.slug}/queries/${query.id}`, representQuery(query));
      },
    }),
    manageBodyRoute({
      method: 'PUT',
      path: one,
      operationId: 'replaceQuery',
      summary: 'Replace a saved query',
      description: `Replace a saved query. ${sharing}`,
      permission,
      body,
      answers: { 200: SavedQuery },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const { ctx, caller, by, page, params } = call;
        const fields = fieldsOf(call);
        const precondition = preconditionOf(ctx, representQuery);
        const check = (current: Query) => {
          refuseSharing(page, current);
          refuseSharing(page, fields);
          precondition(current);
        };
        const input = { ...readerOf(caller, page), ...fields, id: params['id'] ?? '', check };
        answerResource(ctx, representQuery(await replaceQuery({ ...deps, by }, input)));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteQuery',
      summary: 'Delete a saved query',
      description: `Delete a saved query. ${sharing}`,
      permission,
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, caller, by, page, params }) {
        const check = (current: Query) => refuseSharing(page, current);
        await deleteQuery({ ...deps, by }, { ...readerOf(caller, page), id: params['id'] ?? '', check });
        answerDone(ctx);
      },
    }),
  ];
}

function readerOf(caller: Caller, { id: pageId }: ManagedPage): QueryReader {
  return { pageId, userId: caller.type === 'user' ? caller.user.userId : null };
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
      message: 'Shared queries are those of the page; to change them needs the permission page.write.',
    });
  }
}

function representQuery(query: Query): Representation {
  return { body: queryJson(query) };
}

function queryJson({ createdAt, updatedAt, id, name, sql, isShared }: Query): object {
  return {
    ...{ id, name, sql, isShared },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

import Type from 'typebox';
import { CreateManagedConnection, ManagedConnection } from '../../../contract/manage/connections.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  type Connection,
  createConnection,
  deleteConnection,
  listManagedConnections,
} from '../../../control/connections/index.js';
import { answerCreated, answerDone } from '../../manage/answers.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, idAt, listRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const connections = '/api/v1/pages/:page/connections';

/** The database connections of a page, which observations name. */
export function manageConnectionsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: connections, permission: 'connections.write', operationId: 'listConnections' },
      summary: 'The database connections of a page, newest first',
      item: ManagedConnection,
      nameOf: ({ page }) => `connections ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listManagedConnections(deps, { pageId: page.id, limit, after: idAt(after) }),
      ...{ toItem: connectionJson, positionOf: byId },
    }),
    manageBodyRoute({
      method: 'POST',
      path: connections,
      operationId: 'createConnection',
      summary: 'Save a database connection',
      description: 'Save a database connection, for observations to name by its id',
      permission: 'connections.write',
      body: { schema: CreateManagedConnection, bytesMax },
      answers: { 201: ManagedConnection },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body }) {
        const connection = await createConnection({ ...deps, by }, { pageId: page.id, ...body });
        const location = `/api/v1/pages/${page.slug}/connections/${connection.id}`;
        answerCreated(ctx, location, { body: connectionJson(connection) });
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: `${connections}/:id`,
      operationId: 'deleteConnection',
      summary: 'Delete a database connection',
      description:
        'Delete a database connection. Its past observations stay; new ones that name it are refused',
      permission: 'connections.write',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        await deleteConnection({ ...deps, by: call.by }, idRef(call));
        answerDone(call.ctx);
      },
    }),
  ];
}

function connectionJson({ id, engine, name, createdAt }: Connection): object {
  return { id, engine, name, createdAt: createdAt.toISOString() };
}

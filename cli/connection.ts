import { engines } from '../contract/observations.js';
import {
  type Connection,
  createConnection,
  deleteConnection,
  listConnections,
} from '../control/connections/index.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';
import { pageOption } from './page.js';

export const connectionCommands = [
  defineCommand({
    name: 'connection create',
    summary: 'name a database connection for observations',
    help: `Creates a connection and prints its id, which observations give as connectionId. Heartline does not store how to
connect.`,
    options: {
      page: pageOption,
      engine: {
        value: 'ENGINE',
        help: 'the database engine; observations of another engine are refused',
        required: true,
        choices: engines,
      },
      name: {
        value: 'NAME',
        help: 'a readable name: letters, digits, spaces and - _ . , : / # + ( ) ~ |, nothing that looks like a secret',
        required: true,
      },
    },
    json: '',
    async run(context, { page: slug, engine, name }) {
      const { pageId, ...deps } = await context.openPage(slug);
      const connection = await createConnection(deps, { pageId, engine, name });
      return { json: connectionJson(connection), text: `${connection.id}\n` };
    },
  }),

  defineCommand({
    name: 'connection list',
    summary: 'list the database connections of a page',
    help: 'Lists the database connections of a page, oldest first.',
    options: { page: pageOption },
    json: '{"connections": [...]}',
    async run(context, { page: slug }) {
      const { sql, pageId } = await context.openPage(slug);
      const connections = await listConnections({ sql }, pageId);
      const rows = connections.map(({ id, engine, name, createdAt }) => [
        ...[id, engine],
        createdAt.toISOString(),
        name,
      ]);
      const empty = `${slug} has no connection yet; create one with: heartline connection create`;
      return {
        json: { connections: connections.map(connectionJson) },
        text: formatTable(['ID', 'ENGINE', 'CREATED', 'NAME'], rows, empty),
      };
    },
  }),

  defineCommand({
    name: 'connection delete',
    summary: 'delete a database connection',
    help: `Deletes a connection. Its past observations are kept as long as all others; new ones that name it are refused.
ID is as in: heartline connection list`,
    arguments: { id: 'ID' },
    json: '',
    async run(context, { id }) {
      const connection = await deleteConnection(await context.openControl(), { id });
      return { json: connectionJson(connection), text: `${connection.name} is deleted.\n` };
    },
  }),
];

function connectionJson({ id, engine, name, createdAt }: Connection): object {
  return { id, engine, name, createdAt: createdAt.toISOString() };
}

import { engines } from '../contract/observations.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';
import { pageOption } from './page.js';
import { connectionsOf } from './ports/connections.js';
import { pageOfIdOption } from './ports/ref.js';

export const connectionCommands = [
  defineCommand({
    runsRemotely: true,
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
      const connection = await connectionsOf(context).create(slug, { engine, name });
      return { json: connection, text: `${connection.id}\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'connection list',
    summary: 'list the database connections of a page',
    help: 'Lists the database connections of a page, oldest first.',
    options: { page: pageOption },
    json: '{"connections": [...]}',
    async run(context, { page: slug }) {
      const connections = await connectionsOf(context).list(slug);
      const rows = connections.map(({ id, engine, name, createdAt }) => [id, engine, createdAt, name]);
      const empty = `${slug} has no connection yet; create one with: ${context.commandPrefix} connection create`;
      return {
        json: { connections },
        text: formatTable(['ID', 'ENGINE', 'CREATED', 'NAME'], rows, empty),
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'connection delete',
    summary: 'delete a database connection',
    help: `Deletes a connection. Its past observations are kept as long as all others; new ones that name it are refused.
ID is as in: heartline connection list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run(context, ref) {
      const connection = await connectionsOf(context).remove(ref);
      return { json: connection, text: `${connection.name} is deleted.\n` };
    },
  }),
];

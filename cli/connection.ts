import type { Static } from 'typebox';
import { ManagedConnection } from '../contract/manage/connections.js';
import { engines } from '../contract/observations.js';
import { ServiceError } from '../lib/service-error.js';
import { type Client, Nothing } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';
import { pageOfIdOption, pageOption } from './page.js';

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
    async run({ client }, { page: slug, ...body }) {
      const path = `${await client.pathOf(slug)}/connections`;
      const connection = await client.send('POST', path, { answer: ManagedConnection, body });
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
      const connections = await listConnections(context.client, await context.client.pathOf(slug));
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
    async run({ client }, ref) {
      const path = await client.pathTo('connection', ref);
      const listed = await listConnections(client, path.slice(0, path.lastIndexOf('/connections/')));
      const connection = listed.find(({ id }) => id === ref.id.toLowerCase());
      if (connection === undefined) {
        throw new ServiceError('notFound', { message: `There is no connection with the id "${ref.id}".` });
      }
      await client.send('DELETE', path, { answer: Nothing });
      return { json: connection, text: `${connection.name} is deleted.\n` };
    },
  }),
];

/** The connections of the page with the path, the oldest first. */
export async function listConnections(
  client: Client,
  path: string,
): Promise<Static<typeof ManagedConnection>[]> {
  return (await client.list(`${path}/connections`, ManagedConnection)).reverse();
}

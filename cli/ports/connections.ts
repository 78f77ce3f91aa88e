import type { Static } from 'typebox';
import { ManagedConnection } from '../../contract/manage/connections.js';
import type { Engine } from '../../contract/observations.js';
import {
  type Connection,
  createConnection,
  deleteConnection,
  listConnections,
} from '../../control/connections/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import { Nothing, type Remote } from '../remote/remote.js';
import { localRef, type Ref } from './ref.js';

export type ShownConnection = Static<typeof ManagedConnection>;

/** The database connections of an installation, on its stores or over HTTP. */
export type Connections = {
  create(page: string, input: { engine: Engine; name: string }): Promise<ShownConnection>;
  /** Oldest first. */
  list(page: string): Promise<ShownConnection[]>;
  remove(ref: Ref): Promise<ShownConnection>;
};

export function connectionsOf(context: CommandContext): Connections {
  return context.remote === undefined ? localConnections(context) : remoteConnections(context.remote);
}

function localConnections(context: CommandContext): Connections {
  return {
    async create(page, input) {
      const { pageId, ...deps } = await context.openPage(page);
      return toManaged(await createConnection(deps, { pageId, ...input }));
    },
    async list(page) {
      const { pageId, sql } = await context.openPage(page);
      return (await listConnections({ sql }, pageId)).map(toManaged);
    },
    async remove(ref) {
      return toManaged(await deleteConnection(await context.openControl(), await localRef(context, ref)));
    },
  };
}

function remoteConnections(remote: Remote): Connections {
  const listOf = async (page: string) =>
    (await remote.list(`${page}/connections`, ManagedConnection)).reverse();
  return {
    async create(page, body) {
      return remote.send('POST', `${await remote.pathOf(page)}/connections`, {
        answer: ManagedConnection,
        body,
      });
    },
    async list(page) {
      return listOf(await remote.pathOf(page));
    },
    async remove({ id, page }) {
      const path = await remote.pathOf(page);
      const found = (await listOf(path)).find((connection) => connection.id === id.toLowerCase());
      if (found === undefined) {
        throw new ServiceError('notFound', { message: `There is no connection with the id "${id}".` });
      }
      await remote.send('DELETE', `${path}/connections/${found.id}`, { answer: Nothing });
      return found;
    },
  };
}

function toManaged({ id, engine, name, createdAt }: Connection): ShownConnection {
  return { id, engine, name, createdAt: createdAt.toISOString() };
}

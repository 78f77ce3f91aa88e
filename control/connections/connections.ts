import { type Engine, observationLimits } from '../../contract/observations.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import type { Clock } from '../../lib/clock.js';
import { type ConnectionId, newId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';

/** A saved database connection, whose id observations name. The address and password are not stored. */
export type Connection = { id: ConnectionId; engine: Engine; name: string; createdAt: Date };

/**
 * Saves a connection of a page, for observations to name.
 *
 * @throws ServiceError `conflict` when the page has too many connections or one with the name, `invalidBody` when the
 *   name is not an alias; the message does not repeat a name that may be a secret.
 */
export async function createConnection(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, engine, name: given }: { pageId: PageId; engine: Engine; name: string },
): Promise<Connection> {
  const problem = problemOfAlias(given);
  if (problem !== undefined) throw new ServiceError('invalidBody', { message: `The name ${problem}` });
  const name = parseAlias('/name', given);
  return inTransaction(sql, async (tx) => {
    const [page] = await tx<
      { slug: string }[]
    >`select slug from pages where id = ${pageId} for no key update`;
    const [known] = await tx<{ count: number; taken: number }[]>`
      select count(*)::integer as count, count(*) filter (where name = ${name})::integer as taken
      from connections where page_id = ${pageId}`;
    const { count = 0, taken = 0 } = known ?? {};
    if (taken > 0) throw conflict(`The page "${page?.slug}" has a connection named "${name}" already.`);
    if (count >= observationLimits.connectionsPerPage) {
      throw conflict(`The page has ${count} connections, which is the most; delete one first.`);
    }
    const now = clock.now();
    const connection = { id: newId<ConnectionId>(now), engine, name, createdAt: new Date(now) };
    await tx`
      insert into connections (id, page_id, engine, name, created_at)
      values (${connection.id}, ${pageId}, ${engine}, ${name}, ${connection.createdAt})`;
    return connection;
  });
}

/** The connections of a page, oldest first. */
export async function listConnections({ sql }: { sql: Sql }, pageId: PageId): Promise<Connection[]> {
  const connections = await sql<Connection[]>`
    select ${connectionColumns(sql)} from connections where page_id = ${pageId} order by created_at, id`;
  return [...connections];
}

/**
 * Deletes a connection and returns it. Earlier observations keep its id; later ones that name it are refused.
 *
 * @throws ServiceError `notFound` when no connection has the id.
 */
export async function deleteConnection({ sql }: { sql: Sql }, { id }: { id: string }): Promise<Connection> {
  const connectionId = parseId<ConnectionId>(id);
  const [connection] =
    connectionId === undefined
      ? []
      : await sql<Connection[]>`
          delete from connections where id = ${connectionId} returning ${connectionColumns(sql)}`;
  if (connection === undefined) {
    throw new ServiceError('notFound', { message: `There is no connection with the id "${id}".` });
  }
  return connection;
}

function connectionColumns(sql: Sql): Fragment {
  return sql`id, engine, name, created_at as "createdAt"`;
}

function conflict(message: string): ServiceError {
  return new ServiceError('conflict', { message });
}

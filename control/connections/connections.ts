import { type Engine, observationLimits } from '../../contract/observations.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import type { Clock } from '../../lib/clock.js';
import { type ConnectionId, newId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';

/** A saved database connection, whose id observations name. The address and password are not stored. */
export type Connection = { id: ConnectionId; engine: Engine; name: string; createdAt: Date };

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Saves a connection of a page, for observations to name.
 *
 * @throws ServiceError `conflict` when the page has too many connections or one with the name, `invalidBody` when the
 *   name is not an alias; the message does not repeat a name that may be a secret.
 */
export async function createConnection(
  { sql, clock, by }: Deps,
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
    await recordConnection(tx, { by, now }, pageId, { before: null, after: connection });
    return connection;
  });
}

/** Lists the connections of a page, oldest first. */
export async function listConnections({ sql }: { sql: Sql }, pageId: PageId): Promise<Connection[]> {
  const connections = await sql<Connection[]>`
    select ${connectionColumns(sql)} from connections where page_id = ${pageId} order by created_at, id`;
  return [...connections];
}

/** Lists at most `limit` connections of a page, newest first, behind the one with the id `after`. */
export async function listManagedConnections(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after?: string | undefined },
): Promise<Connection[]> {
  return sql<Connection[]>`
    select ${connectionColumns(sql)} from connections
    where page_id = ${pageId} and (${after ?? null}::uuid is null or id < ${after ?? null})
    order by id desc limit ${limit}`;
}

/**
 * Deletes a connection, by its id or by its id within a page, and returns it. Earlier observations keep its id;
 * later ones that name it are refused.
 *
 * @throws ServiceError `notFound` when no connection has the id.
 */
export async function deleteConnection(
  { sql, clock, by }: Deps,
  { id, pageId }: { id: string; pageId?: PageId },
): Promise<Connection> {
  const connectionId = parseId<ConnectionId>(id);
  return inTransaction(sql, async (tx) => {
    const [deleted] = await tx<(Connection & { pageId: PageId })[]>`
      delete from connections
      where id = ${connectionId ?? null} and (${pageId ?? null}::uuid is null or page_id = ${pageId ?? null})
      returning ${connectionColumns(tx)}, page_id as "pageId"`;
    if (deleted === undefined) {
      throw new ServiceError('notFound', { message: `There is no connection with the id "${id}".` });
    }
    const { pageId: ofPage, ...connection } = deleted;
    await recordConnection(tx, { by, now: clock.now() }, ofPage, { before: connection, after: null });
    return connection;
  });
}

function recordConnection(
  tx: Transaction,
  audit: { by: Actor; now: number },
  pageId: PageId,
  sides: { before: null; after: Connection } | { before: Connection; after: null },
): Promise<void> {
  const { id, name } = sides.after ?? sides.before;
  const fields = ({ engine, name }: Connection) => ({ engine, name });
  return recordChange(tx, audit, {
    pageId,
    action: `connection.${sides.after === null ? 'delete' : 'create'}`,
    target: { type: 'connection', id, name },
    before: sides.before && fields(sides.before),
    after: sides.after && fields(sides.after),
  });
}

function connectionColumns(sql: Sql | Transaction): Fragment {
  return sql`id, engine, name, created_at as "createdAt"`;
}

function conflict(message: string): ServiceError {
  return new ServiceError('conflict', { message });
}

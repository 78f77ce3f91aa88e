import { ControlError } from '../../lib/control-error.js';
import { type ConnectionId, parseId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Connection, type ConnectionRow, toConnection } from './connection.js';

/**
 * Deletes a connection; answers what it was. What was observed of it keeps its id; an observation that names it from
 * now on is refused.
 *
 * @throws ControlError when there is no such connection.
 */
export async function deleteConnection({ sql }: { sql: Sql }, { id }: { id: string }): Promise<Connection> {
  const connectionId = parseId<ConnectionId>(id);
  const [row] =
    connectionId === undefined
      ? []
      : await sql<ConnectionRow[]>`
          delete from connections where id = ${connectionId} returning id, engine, name, created_at`;
  if (row === undefined) throw new ControlError(`There is no connection with the id "${id}".`);
  return toConnection(row);
}

import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Connection, type ConnectionRow, toConnection } from './connection.js';

/**
 * The connections of the page with this slug, oldest first.
 *
 * @throws ControlError when there is no such page.
 */
export async function listConnections(
  { sql }: { sql: Sql },
  { slug }: { slug: string },
): Promise<Connection[]> {
  const [page] = await sql<{ id: string }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  const rows = await sql<ConnectionRow[]>`
    select id, engine, name, created_at from connections where page_id = ${page.id}
    order by created_at, id`;
  return rows.map(toConnection);
}

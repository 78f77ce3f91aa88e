import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Key, type KeyRow, toKey } from './key.js';

/**
 * The keys of the page with this slug, revoked ones included, oldest first.
 *
 * @throws ControlError when there is no such page.
 */
export async function listKeys({ sql }: { sql: Sql }, { slug }: { slug: string }): Promise<Key[]> {
  const [page] = await sql<{ id: string }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  const rows = await sql<KeyRow[]>`
    select id, page_id, scope, display_prefix, created_at, last_used_at, revoked_at
    from keys where page_id = ${page.id}
    order by created_at, id`;
  return rows.map(toKey);
}

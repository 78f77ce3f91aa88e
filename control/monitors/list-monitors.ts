import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Monitor, selectMonitors } from './monitor.js';

/**
 * The monitors of the page with this slug, in its order.
 *
 * @throws ControlError when there is no such page.
 */
export async function listMonitors({ sql }: { sql: Sql }, { slug }: { slug: string }): Promise<Monitor[]> {
  const [page] = await sql<{ id: string }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  return selectMonitors(sql, sql`p.id = ${page.id}`);
}

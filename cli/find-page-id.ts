import { findPage } from '../control/pages/find-page.js';
import { ControlError } from '../lib/control-error.js';
import type { PageId } from '../lib/ids.js';
import type { Sql } from '../sql/open-postgres.js';

/** @throws ControlError when there is no such page. */
export async function findPageId(sql: Sql, slug: string): Promise<PageId> {
  const page = await findPage({ sql }, { slug });
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  return page.id;
}

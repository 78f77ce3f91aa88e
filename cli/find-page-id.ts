import type { PageId } from '../contract/ids.js';
import { ControlError } from '../control/control-error.js';
import { findPage } from '../control/find-page.js';
import type { Sql } from '../sql/open-postgres.js';

/** @throws ControlError when there is no such page. */
export async function findPageId(sql: Sql, slug: string): Promise<PageId> {
  const page = await findPage({ sql }, { slug });
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  return page.id;
}

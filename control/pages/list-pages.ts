import type { Sql } from '../../sql/open-postgres.js';
import type { Page } from './page.js';
import { selectPages } from './page-rows.js';

/** Every page, by slug. */
export async function listPages({ sql }: { sql: Sql }): Promise<Page[]> {
  return selectPages(sql, sql`true`);
}

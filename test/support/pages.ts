import { type CreatePageInput, createPage } from '../../control/pages/create-page.js';
import type { Page } from '../../control/pages/page.js';
import { systemClock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';

/** A page for a test that does not care which; give what it does care about. */
export async function makePage(sql: Sql, input: Partial<CreatePageInput> = {}): Promise<Page> {
  const { slug = 'acme' } = input;
  return createPage({ sql, clock: systemClock }, { hostname: `${slug}.localhost`, ...input, slug });
}

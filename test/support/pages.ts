import type { Scope } from '../../contract/scopes.js';
import { type CreatedKey, createKey } from '../../control/keys/index.js';
import { type CreatePageInput, createPage } from '../../control/pages/create-page.js';
import { loadPageId } from '../../control/pages/index.js';
import type { Page } from '../../control/pages/page.js';
import type { Clock } from '../../lib/clock.js';
import { systemClock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Creates a page; gives the test's own values where the test depends on them. */
export async function makePage(sql: Sql, input: Partial<CreatePageInput> = {}): Promise<Page> {
  const { slug = 'acme' } = input;
  return createPage({ sql, clock: systemClock }, { hostname: `${slug}.localhost`, ...input, slug });
}

/** Creates a key of one scope for the page with this slug. */
export async function makeKey(
  deps: { sql: Sql; clock: Clock },
  { slug, scope }: { slug: string; scope: Scope },
): Promise<CreatedKey> {
  return createKey(deps, { pageId: await loadPageId(deps.sql, slug), scope });
}

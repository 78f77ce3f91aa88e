import type { Scope } from '../../contract/scopes.js';
import { type CreatedKey, type CreateKeyInput, createKey } from '../../control/keys/index.js';
import {
  type CreatePageInput,
  changePage,
  createPage,
  loadPageId,
  type Page,
  type PageChanges,
} from '../../control/pages/index.js';
import { type Clock, systemClock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';
import { testActor } from './actor.js';

/** Creates a page; gives the test's own values where the test depends on them. */
export async function makePage(sql: Sql, input: Partial<CreatePageInput> = {}): Promise<Page> {
  const { slug = 'acme' } = input;
  return createPage(
    { sql, clock: systemClock, by: testActor },
    { hostname: `${slug}.localhost`, ...input, slug },
  );
}

/** Changes the page with this slug. */
export async function setPage(
  deps: { sql: Sql; clock: Clock },
  { slug, ...changes }: PageChanges & { slug: string },
): Promise<Page> {
  return changePage({ ...deps, by: testActor }, await loadPageId(deps.sql, slug), changes);
}

/** Makes keys with the scope manage: of the page `acme`, of it for reading alone, and of the page `other`. */
export async function makeManageKeys(deps: {
  sql: Sql;
  clock: Clock;
}): Promise<{ write: string; read: string; other: string }> {
  const [write, read, other] = await Promise.all([
    makeKey(deps, { slug: 'acme', scope: 'manage' }),
    makeKey(deps, { slug: 'acme', scope: 'manage', access: 'read' }),
    makeKey(deps, { slug: 'other', scope: 'manage' }),
  ]);
  return { write: write.key, read: read.key, other: other.key };
}

/** Creates a key of one scope for the page with this slug. */
export async function makeKey(
  deps: { sql: Sql; clock: Clock },
  { slug, scope, ...settings }: { slug: string; scope: Scope } & Partial<CreateKeyInput>,
): Promise<CreatedKey> {
  return createKey(
    { ...deps, by: testActor },
    { ...settings, pageId: await loadPageId(deps.sql, slug), scope },
  );
}

import type { Me } from '../../contract/manage/session.js';
import { permissions } from '../../contract/permissions.js';
import { findPages, listPages } from '../../control/pages/index.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Caller, findManagedPage, isAdmin } from './caller.js';

/** Who calls, with the pages that the caller may read and what is allowed there. */
export async function describeMe({ sql }: { sql: Sql }, caller: Caller): Promise<Me> {
  const reached = isAdmin(caller)
    ? await listPages({ sql })
    : await findPages({ sql }, { slugs: slugsOf(caller) });
  const pages: Me['pages'] = [];
  for (const { id, slug, name } of reached) {
    const managed = await findManagedPage(caller, slug, async () => id);
    if (managed === undefined) continue;
    const role = caller.type === 'user' ? (caller.user.roles.get(slug)?.role ?? null) : null;
    const held = permissions.filter((permission) => managed.permissions.has(permission));
    pages.push({ slug, name, role, permissions: held });
  }
  pages.sort((a, b) => (a.slug < b.slug ? -1 : 1));
  return { caller: describeCaller(caller), admin: isAdmin(caller), pages };
}

function slugsOf(caller: Caller): string[] {
  if (caller.type === 'user') return [...caller.user.roles.keys()];
  return caller.grant.scope === 'admin' ? [] : [caller.grant.slug];
}

function describeCaller(caller: Caller): Me['caller'] {
  if (caller.type === 'key') return { type: 'key', id: caller.grant.keyId, name: caller.grant.keyName };
  const { userId: id, name, email, language } = caller.user;
  return { type: 'user', id, name, email, language };
}

import type { Me } from '../../contract/manage/session.js';
import { permissions } from '../../contract/permissions.js';
import { listThresholds } from '../../control/alerts/index.js';
import { findPages, listPages } from '../../control/pages/index.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Caller, findManagedPage, isAdmin } from './caller.js';

/** Who calls, with the pages that the caller may read and what is allowed there. */
export async function describeMe({ sql }: { sql: Sql }, caller: Caller): Promise<Me> {
  const reached = isAdmin(caller)
    ? await listPages({ sql })
    : await findPages({ sql }, { slugs: slugsOf(caller) });
  const thresholds = await listThresholds(
    { sql },
    reached.map(({ id }) => id),
  );
  const pages: Me['pages'] = [];
  for (const { id, slug, name } of reached) {
    const managed = await findManagedPage(caller, slug, async () => id);
    if (managed === undefined) continue;
    const role = caller.type === 'user' ? (caller.user.roles.get(slug)?.role ?? null) : null;
    const held = permissions.filter((permission) => managed.permissions.has(permission));
    const alertThresholdPercent = thresholds.get(id) ?? null;
    pages.push({ slug, name, role, permissions: held, alertThresholdPercent });
  }
  pages.sort((a, b) => (a.slug < b.slug ? -1 : 1));
  return { caller: describeCaller(caller), admin: isAdmin(caller), pages };
}

/** The pages within the document of the dashboard: a document of 5,000 pages would have a megabyte. */
const startPagesMax = 200;

/** The caller, as a document of the dashboard begins with it. */
export type MeAtStart = {
  me: Me;
  /** Whether `me` leaves pages out, which the dashboard reads when somebody looks for one. */
  hasMorePages: boolean;
};

/** Keeps 200 pages: the one with the slug `open`, those on which the caller has a role, and the first others by slug. */
export function shortenMe(me: Me, open: string | undefined): MeAtStart {
  const rankOf = ({ slug, role }: Me['pages'][number]): number => {
    if (slug === open) return 0;
    return role === null ? 2 : 1;
  };
  const pages = me.pages
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, startPagesMax)
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
  return { me: { ...me, pages }, hasMorePages: pages.length < me.pages.length };
}

function slugsOf(caller: Caller): string[] {
  if (caller.type === 'user') return [...caller.user.roles.keys()];
  return caller.type === 'operator' || caller.grant.scope === 'admin' ? [] : [caller.grant.slug];
}

function describeCaller(caller: Caller): Me['caller'] {
  if (caller.type === 'key') return { type: 'key', id: caller.grant.keyId, name: caller.grant.keyName };
  if (caller.type === 'operator') throw new Error('The operator of the installation has no account.');
  const { userId: id, name, email, language, hasPassword, hasTotp } = caller.user;
  return { type: 'user', id, name, email, language, hasPassword, hasTotp };
}

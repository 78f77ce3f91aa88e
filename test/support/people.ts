import { createHash, randomBytes } from 'node:crypto';
import type { PageRole } from '../../contract/permissions.js';
import { loadPageId } from '../../control/pages/index.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type UserId, type UserSessionId } from '../../lib/ids.js';
import { newSecret } from '../../lib/secrets/secrets.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';

type Deps = { sql: Sql; clock: Clock };

/** A user without a password, made without a row in the audit log. */
export async function makeUser(
  { sql, clock }: Deps,
  { email = `${randomBytes(6).toString('hex')}@example.com`, name = 'Ada', isAdmin = false } = {},
): Promise<{ id: UserId; email: string }> {
  const id = newId<UserId>(clock.now());
  await sql`
    insert into users (id, email, name, is_admin, created_at)
    values (${id}, ${email}, ${name}, ${isAdmin}, ${new Date(clock.now())})`;
  return { id, email };
}

/** Gives a user a role on the page with this slug. */
export async function giveRole(
  { sql, clock }: Deps,
  { userId, slug, role }: { userId: UserId; slug: string; role: PageRole },
): Promise<void> {
  await sql`
    insert into page_roles (page_id, user_id, role, created_at)
    values (${await loadPageId(sql, slug)}, ${userId}, ${role}, ${new Date(clock.now())})
    on conflict (page_id, user_id) do update set role = excluded.role`;
}

/** The headers of a browser on a page of the service, in which the user has signed in. */
export type PersonHeaders = { cookie: string; 'sec-fetch-site': string };

/** Starts a session of a user; the headers work for reads and changes. */
export async function signIn({ sql, clock }: Deps, userId: UserId): Promise<PersonHeaders> {
  const token = newSecret();
  const now = clock.now();
  const hash = createHash('sha256').update(token).digest();
  await sql`
    insert into user_sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at, address, user_agent)
    values (${newId<UserSessionId>(now)}, ${userId}, ${hash}, ${new Date(now)}, ${new Date(now)},
      ${new Date(now + 30 * dayMs)}, '127.0.0.1', 'test')`;
  return headersOf(token);
}

/** The headers of a browser whose session has this token. */
export function headersOf(token: string): PersonHeaders {
  return { cookie: `heartline-session=${token}`, 'sec-fetch-site': 'same-origin' };
}

/** An admin, or somebody with a role on the page with this slug. */
export type Person = 'admin' | { slug: string; role: PageRole };

/** Makes a user with a role on a page, or an admin, and signs the user in. */
export async function signInAs(
  deps: Deps,
  as: Person,
): Promise<{ id: UserId; email: string; headers: PersonHeaders }> {
  const user = await makeUser(deps, { isAdmin: as === 'admin' });
  if (as !== 'admin') await giveRole(deps, { userId: user.id, ...as });
  const headers = await signIn(deps, user.id);
  return { ...user, headers };
}

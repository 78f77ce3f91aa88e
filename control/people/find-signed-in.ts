import type { PageRole } from '../../contract/permissions.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId, UserId, UserSessionId } from '../../lib/ids.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { hourMs } from '../../lib/times.js';
import {
  addToWindow,
  type CountedWindow,
  toCountedWindow,
  type WindowRow,
  windowMs,
} from '../../sql/count-in-window.js';
import type { Sql } from '../../sql/open-postgres.js';
import { sessionMs } from './sessions.js';

/** A person with a session, and what the person may do. */
export type SignedIn = {
  sessionId: UserSessionId;
  userId: UserId;
  email: string;
  name: string;
  /** A language tag; null when the person has not chosen one. */
  language: string | null;
  hasPassword: boolean;
  /** Whether signing in needs a code of an app. */
  hasTotp: boolean;
  /** Whether the person runs the installation, and so every page. */
  isAdmin: boolean;
  /** Roles by the slug of the page. */
  roles: ReadonlyMap<string, { pageId: PageId; role: PageRole }>;
  /** Whether this use made the session last longer, so that the browser has to keep its cookie longer as well. */
  isExtended: boolean;
};

type Row = Omit<SignedIn, 'roles' | 'isExtended'> & {
  lastSeenAt: Date;
  roles: { slug: string; pageId: PageId; role: PageRole }[] | null;
};

/**
 * The person whose session has this token, which is the value of the cookie; `undefined` for an unknown or ended session
 * and for a disabled user. It asks PostgreSQL each time, so that a session that is revoked, a role that is removed and
 * a user who is disabled stop at once on every instance. One query, by the index on the hash, and a write once an hour.
 */
export async function findSignedIn(
  deps: { sql: Sql; clock: Clock },
  token: string,
): Promise<SignedIn | undefined> {
  const { sql, clock } = deps;
  const now = clock.now();
  const [row] = await sql<Row[]>`
    select s.id as "sessionId", u.id as "userId", u.email, u.name, u.language, u.is_admin as "isAdmin",
      u.password_hash is not null as "hasPassword", u.totp_confirmed_at is not null as "hasTotp",
      s.last_seen_at as "lastSeenAt",
      (select json_agg(json_build_object('slug', p.slug, 'pageId', p.id, 'role', r.role))
        from page_roles r join pages p on p.id = r.page_id where r.user_id = u.id and p.deleted_at is null) as roles
    from user_sessions s join users u on u.id = s.user_id
    where s.token_hash = decode(${hashSecret(token)}, 'hex') and s.expires_at > ${new Date(now)}
      and u.disabled_at is null`;
  if (row === undefined) return undefined;
  const { lastSeenAt, roles: held, ...person } = row;
  const isDue = lastSeenAt.getTime() <= now - hourMs;
  const isExtended = isDue && (await extend(deps, row.sessionId));
  const roles = new Map((held ?? []).map(({ slug, pageId, role }) => [slug, { pageId, role }]));
  return { ...person, roles, isExtended };
}

/** Returns whether this call did it, and not another request at the same time. */
async function extend({ sql, clock }: { sql: Sql; clock: Clock }, id: UserSessionId): Promise<boolean> {
  const now = clock.now();
  const extended = await sql`
    update user_sessions set last_seen_at = ${new Date(now)}, expires_at = ${new Date(now + sessionMs)}
    where id = ${id} and last_seen_at <= ${new Date(now - hourMs)}`;
  return extended.count > 0;
}

/**
 * Counts a request of a person across all instances. Returns the requests, this one included, of the minute that began
 * with the first of them, and the milliseconds until that minute ends.
 */
export async function countUserRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  userId: UserId,
): Promise<CountedWindow> {
  const now = clock.now();
  const rows = await sql<WindowRow[]>`
    insert into user_requests as held (user_id, window_ends_at, requests)
    values (${userId}, ${new Date(now + windowMs)}, 1)
    on conflict (user_id) do update set ${addToWindow(sql, now)}
    returning requests, window_ends_at`;
  return toCountedWindow(rows, now);
}

import { type PageRole, pageRoles } from '../../contract/permissions.js';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { findPages } from '../pages/index.js';
import { isLastOwner, lockOwners, recordRole } from './page-roles.js';
import { endWaysIn } from './prove-email.js';
import { type Client, type StartedSession, startSession } from './sessions.js';
import { dropSession } from './sign-in.js';
import { addUser, recordUser, type User, userActor, userColumns } from './user.js';

/** A person as the identity provider describes them. */
export type Identity = {
  issuer: string;
  /** The person's id at the issuer. */
  subject: string;
  email: string | undefined;
  /** Whether the email is the person's, as the issuer says; `undefined` when it does not say. */
  emailVerified: boolean | undefined;
  name: string | undefined;
  /** Roles that the groups of the person give. Pages that do not exist are left out. */
  grants: readonly { pageSlug: string; role: PageRole }[];
};

/** Why somebody may not enter whom the identity provider has signed in. */
export type IdentityRefusal =
  | 'noEmail'
  | 'emailDenied'
  | 'emailUnstated'
  | 'tooManyGroups'
  | 'otherIdentity'
  | 'disabled'
  | 'noRole';

/** Somebody whom the identity provider has signed in may not enter. Callers see the reason only in general. */
export class IdentityRefused extends ServiceError {
  constructor(readonly reason: IdentityRefusal) {
    super('notAllowed', {
      message: 'Nobody has given this account access yet.',
      hint: 'Ask an owner of the page for an invitation.',
    });
  }
}

/**
 * Signs a person in whom the identity provider vouches for: the user with this issuer and subject, else the one with the
 * email, when the issuer says that it is verified and no other identity belongs to that user; the password, the
 * authenticator app, the sessions and the reset links of that account end then. Somebody unknown with a verified email gets an
 * account when a group gives a role, or when an open invitation waits for the verified email; accepting stays a step of
 * its own.
 *
 * Roles that groups give follow the groups at each sign-in. A role that a person gave stays as it is, and the last owner of
 * a page stays owner.
 *
 * @throws IdentityRefused for somebody who may not enter; the reason of `signal`. No session is left after an error
 */
export async function signInWithIdentity(
  { sql, clock }: { sql: Sql; clock: Clock },
  { address, userAgent, signal, ...identity }: Identity & Client & { signal?: AbortSignal | undefined },
): Promise<StartedSession> {
  const grants = await resolveGrants(sql, identity.grants);
  const client = { address, userAgent };
  const started = await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const { issuer, subject } = identity;
    // Somebody who arrives twice at once gets one account.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`identity ${issuer} ${subject}`}, 0))`;
    const user =
      (await findByIdentity(tx, identity)) ??
      (await linkByEmail(tx, { identity, now, address })) ??
      (await register(tx, { identity, now, address, hasGrants: grants.size > 0 }));
    if (user.disabledAt !== null) throw new IdentityRefused('disabled');
    await followGroups(tx, { by: userActor(user, address), now }, user, grants);
    const session = await startSession(tx, { user, now, client, means: 'identity provider' });
    signal?.throwIfAborted();
    return session;
  });
  if (signal?.aborted) {
    await dropSession({ sql, clock }, started, { email: identity.email ?? 'unknown', address });
    throw signal.reason;
  }
  return started;
}

/** Returns the highest role on each page. */
async function resolveGrants(sql: Sql, grants: Identity['grants']): Promise<Map<PageId, PageRole>> {
  const pages = await findPages({ sql }, { slugs: [...new Set(grants.map(({ pageSlug }) => pageSlug))] });
  const idOf = new Map(pages.map(({ slug, id }) => [slug, id]));
  const highest = new Map<PageId, PageRole>();
  for (const { pageSlug, role } of grants) {
    const pageId = idOf.get(pageSlug);
    if (pageId === undefined) continue;
    const held = highest.get(pageId);
    if (held === undefined || pageRoles.indexOf(held) < pageRoles.indexOf(role)) highest.set(pageId, role);
  }
  return highest;
}

async function findByIdentity(tx: Transaction, { issuer, subject }: Identity): Promise<User | undefined> {
  const [user] = await tx<User[]>`
    select ${userColumns(tx)} from users u
    where u.oidc_issuer = ${issuer} and u.oidc_subject = ${subject} for update`;
  return user;
}

type Arrival = { identity: Identity; now: number; address: string };

/**
 * Links the account with the verified email, and ends all else that lets somebody into it: the provider decides from now
 * on, and before the first proof of the email somebody else may have made the account.
 */
async function linkByEmail(tx: Transaction, { identity, now, address }: Arrival): Promise<User | undefined> {
  const email = verifiedEmail(identity);
  if (email === undefined) return undefined;
  const [before] = await tx<User[]>`
    select ${userColumns(tx)} from users u where u.email = ${email} for update`;
  if (before === undefined) return undefined;
  if (before.disabledAt !== null) throw new IdentityRefused('disabled');
  if (before.issuer !== null) throw new IdentityRefused('otherIdentity');
  const { issuer, subject } = identity;
  const audit = { by: userActor(before, address), now };
  const emailProvenAt = before.emailProvenAt ?? new Date(now);
  await endWaysIn(tx, audit, before);
  await tx`
    update users set oidc_issuer = ${issuer}, oidc_subject = ${subject}, email_proven_at = ${emailProvenAt}
    where id = ${before.id}`;
  const after = { ...before, emailProvenAt, issuer, hasPassword: false, hasTotp: false };
  await recordUser(tx, audit, 'update', before, after, before.hasPassword ? { passwordRemoved: true } : {});
  return after;
}

function verifiedEmail({ email, emailVerified }: Identity): string | undefined {
  return emailVerified && email !== undefined ? parseEmailAddress(email) : undefined;
}

function emailProblemOf({ email, emailVerified }: Identity): IdentityRefusal {
  if (email === undefined || parseEmailAddress(email) === undefined) return 'noEmail';
  return emailVerified === undefined ? 'emailUnstated' : 'emailDenied';
}

/**
 * Makes the account of somebody with a verified email who may enter.
 *
 * @throws IdentityRefused for anybody else
 */
async function register(
  tx: Transaction,
  { identity, now, address, hasGrants }: Arrival & { hasGrants: boolean },
): Promise<User> {
  // With any other email somebody would get an account in the name of another person.
  const email = verifiedEmail(identity);
  if (email === undefined) throw new IdentityRefused(emailProblemOf(identity));
  if (!hasGrants && !(await isInvited(tx, email, now))) throw new IdentityRefused('noRole');
  const { issuer, subject } = identity;
  const by = (user: User): Actor => userActor(user, address);
  const name = plainName(identity.name) ?? email;
  return addUser(tx, { by, now }, { email, isEmailProven: true, name, identity: { issuer, subject } });
}

async function isInvited(tx: Transaction, email: string, now: number): Promise<boolean> {
  const [open] = await tx`
    select 1 from invitations
    where email = ${email} and accepted_at is null and revoked_at is null and expires_at > ${new Date(now)} limit 1`;
  return open !== undefined;
}

/** Names come from elsewhere: what a name cannot have is left out. */
function plainName(name: string | undefined): string | undefined {
  const plain = (name ?? '')
    .replaceAll(/[\p{C}\u2028\u2029]/gu, ' ')
    .trim()
    .slice(0, 100)
    // The cut may leave half a character.
    .replace(/[\ud800-\udbff]$/, '');
  return plain === '' ? undefined : plain;
}

type HeldRole = { pageId: PageId; role: PageRole; byGroups: boolean };

/** Sets, changes and ends the roles that groups give; one that a person gave stays, and so does the last owner's. */
async function followGroups(
  tx: Transaction,
  audit: { by: Actor; now: number },
  user: User,
  grants: ReadonlyMap<PageId, PageRole>,
): Promise<void> {
  const held = await tx<HeldRole[]>`
    select page_id as "pageId", role, by_groups as "byGroups" from page_roles
    where user_id = ${user.id} order by page_id`;
  for (const { pageId, role, byGroups } of held) {
    if (byGroups && grants.get(pageId) !== role)
      await followGroup(tx, audit, user, pageId, grants.get(pageId));
  }
  const { id, email } = user;
  const known = new Set(held.map(({ pageId }) => pageId));
  for (const [pageId, role] of grants) {
    if (known.has(pageId)) continue;
    await tx`
      insert into page_roles (page_id, user_id, role, created_at, by_groups)
      values (${pageId}, ${id}, ${role}, ${new Date(audit.now)}, true)`;
    await recordRole(tx, audit, pageId, { before: null, after: { id, email, role, byGroups: true } });
  }
}

/**
 * Changes the role on a page that groups gave, or ends it where they give none. The lock is the same as for changes by hand, and
 * the only one here on roles: pages in the order of their ids, so that two people who sign in never wait for each other.
 */
async function followGroup(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { id, email }: User,
  pageId: PageId,
  granted: PageRole | undefined,
): Promise<void> {
  const owners = await lockOwners(tx, pageId);
  // Somebody may have changed it before the lock.
  const [held] = await tx<HeldRole[]>`
    select page_id as "pageId", role, by_groups as "byGroups" from page_roles
    where page_id = ${pageId} and user_id = ${id} and by_groups`;
  if (held === undefined || held.role === granted) return;
  if (isLastOwner(owners, { id, role: held.role })) return;
  const before = { id, email, role: held.role, byGroups: true };
  if (granted === undefined) {
    await tx`delete from page_roles where page_id = ${pageId} and user_id = ${id}`;
    await recordRole(tx, audit, pageId, { before, after: null });
  } else {
    await tx`update page_roles set role = ${granted} where page_id = ${pageId} and user_id = ${id}`;
    await recordRole(tx, audit, pageId, { before, after: { ...before, role: granted } });
  }
}

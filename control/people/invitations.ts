import type { PageRole } from '../../contract/permissions.js';
import type { Clock } from '../../lib/clock.js';
import { type InvitationId, newId, type PageId, parseId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { type ChangeDeps, parseUserEmail } from './user.js';

const invitationMs = 7 * dayMs;

/** Open invitations of a page, or of the installation. */
const invitationsMax = 100;

/** Invitations of one address to one page in a day. */
const perAddressMax = 5;

/** Invitations to a page, or to run the installation, in a day, whatever happens to them. */
const perDayMax = 200;

/** An invitation that nobody has accepted or revoked. The link is not stored. */
export type Invitation = {
  id: InvitationId;
  /** null for an invitation to run the installation. */
  pageId: PageId | null;
  email: string;
  /** null for an invitation to run the installation. */
  role: PageRole | null;
  /** How the person is called who invited. */
  invitedBy: string;
  /** The name of a person who invited; null for others, and for a person who was deleted. */
  invitedByName: string | null;
  createdAt: Date;
  /** The link works until then. */
  expiresAt: Date;
};

/** `token` is for invitationPath(): the one that the inviter is shown, or the one that only the email has. */
export type CreatedInvitation = { invitation: Invitation; token: string };

/** To what an invitation invites: a role on a page, or running the installation. */
export type InvitedTo = { pageId: PageId; role: PageRole } | { pageId: null; role: null };

/**
 * Invites an address. `token` is for invitationPath(); nothing else returns or stores it. An open invitation of the same
 * address to the same page ends. `mail` runs in the transaction, to queue an email with a link of its own: the one that is
 * returned does not prove that its holder has the address.
 *
 * @throws ServiceError `invalidBody` that names the field, `conflict` when the person has a role there already and when
 *   too many invitations are open or were made in a day
 */
export async function createInvitation(
  { sql, clock, by }: ChangeDeps,
  input: InvitedTo & { email: string },
  mail?: (tx: Transaction, created: CreatedInvitation) => Promise<void>,
): Promise<CreatedInvitation> {
  const { pageId, role } = input;
  const email = parseUserEmail(input.email);
  const [token, mailedToken] = [newSecret(), mail === undefined ? null : newSecret()];
  const mailedHash = mailedToken && hashSecret(mailedToken);
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    // Two invitations to one page at once follow each other, so that the first one ends.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`invitations ${pageId}`}, 0))`;
    await refuseMember(tx, { pageId, email });
    const older = await tx<Invitation[]>`
      update invitations set revoked_at = ${new Date(now)}
      where page_id is not distinct from ${pageId} and email = ${email} and ${isOpen(tx)}
      returning ${invitationColumns(tx)}`;
    for (const one of older) await recordInvitation(tx, { by, now }, 'revoke', one);
    await refuseTooMany(tx, { pageId, email, now });
    const [invitation] = await tx<Invitation[]>`
      insert into invitations (id, page_id, email, role, token_hash, mailed_token_hash, invited_by, created_at, expires_at)
      values (${newId<InvitationId>(now)}, ${pageId}, ${email}, ${role}, decode(${hashSecret(token)}, 'hex'),
        decode(${mailedHash}, 'hex'), ${by.name}, ${new Date(now)}, ${new Date(now + invitationMs)})
      returning ${invitationColumns(tx)}`;
    if (invitation === undefined) throw new Error('PostgreSQL returned no row.');
    await recordInvitation(tx, { by, now }, 'create', invitation);
    if (mailedToken !== null) await mail?.(tx, { invitation, token: mailedToken });
    return { invitation, token };
  });
}

async function refuseMember(
  tx: Transaction,
  { pageId, email }: { pageId: PageId | null; email: string },
): Promise<void> {
  const [member] =
    pageId === null
      ? await tx`select 1 from users where email = ${email} and is_admin`
      : await tx`
          select 1 from page_roles r join users u on u.id = r.user_id
          where r.page_id = ${pageId} and u.email = ${email}`;
  if (member === undefined) return;
  throw new ServiceError('conflict', {
    message:
      pageId === null
        ? `${email} runs the installation already.`
        : `${email} has a role on the page already; change that one.`,
  });
}

/** Invitations may be mailed, so their number in a day is bounded, for an address and for a page. */
async function refuseTooMany(
  tx: Transaction,
  { pageId, email, now }: { pageId: PageId | null; email: string; now: number },
): Promise<void> {
  const [count] = await tx<{ open: number; today: number; sameToday: number }[]>`
    select count(*) filter (where ${isOpen(tx)} and expires_at > ${new Date(now)})::int as open,
      count(*) filter (where created_at > ${new Date(now - dayMs)})::int as today,
      count(*) filter (where email = ${email} and created_at > ${new Date(now - dayMs)})::int as "sameToday"
    from invitations where page_id is not distinct from ${pageId}`;
  if ((count?.open ?? 0) >= invitationsMax) {
    throw new ServiceError('conflict', {
      message: `At most ${invitationsMax} invitations are open at once.`,
    });
  }
  if ((count?.today ?? 0) >= perDayMax) {
    throw new ServiceError('conflict', {
      message: `At most ${perDayMax} invitations are made in a day, revoked ones included.`,
    });
  }
  if ((count?.sameToday ?? 0) >= perAddressMax) {
    throw new ServiceError('conflict', {
      message: `An address is invited at most ${perAddressMax} times a day.`,
    });
  }
}

/** Lists at most `limit` open and expired invitations, newest first, behind the one with the id `after`. */
export async function listInvitations(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId | null; limit: number; after?: readonly string[] | undefined },
): Promise<Invitation[]> {
  return sql<Invitation[]>`
    select ${invitationColumns(sql)} from invitations
    where page_id is not distinct from ${pageId} and ${isOpen(sql)}
      and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null})
    order by id desc limit ${limit}`;
}

/** Revokes an invitation; its link stops working. @throws ServiceError `notFound` */
export async function revokeInvitation(
  { sql, clock, by }: ChangeDeps,
  { id, pageId }: { id: string; pageId: PageId | null },
): Promise<void> {
  const invitationId = parseId<InvitationId>(id);
  if (invitationId === undefined) throw new ServiceError('notFound');
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const [revoked] = await tx<Invitation[]>`
      update invitations set revoked_at = ${new Date(now)}
      where id = ${invitationId} and page_id is not distinct from ${pageId} and ${isOpen(tx)}
      returning ${invitationColumns(tx)}`;
    if (revoked === undefined) throw new ServiceError('notFound');
    await recordInvitation(tx, { by, now }, 'revoke', revoked);
  });
}

/** An invitation as the person who follows its link sees it. */
export type OfferedInvitation = Invitation & {
  /** null for an invitation to run the installation. */
  page: { slug: string; name: string } | null;
  /**
   * How the holder of a mailed link accepts: with a name and a password for a new account, with those that replace the
   * ones of an account whose email was never proven, or by signing in to a proven one. Others are not told which.
   */
  account: 'new' | 'unproven' | 'known' | 'untold';
};

/**
 * The invitation whose link has this token; `undefined` for one that was accepted, was revoked or has expired. A mailed
 * link works until the email is proven, also after somebody has accepted with the other one.
 */
export async function findInvitation(
  { sql, clock }: { sql: Sql; clock: Clock },
  token: string,
): Promise<OfferedInvitation | undefined> {
  const [offered] = await sql<OfferedInvitation[]>`
    select ${invitationColumns(sql)},
      (select json_build_object('slug', p.slug, 'name', p.name) from pages p where p.id = page_id) as page,
      case when ${isMailedTo(sql, token)} is not true then 'untold'
        else coalesce((
          select case when ${isProvable(sql)} then 'unproven' else 'known' end
          from users u where u.email = invitations.email), 'new') end as account
    from invitations where ${isUsable(sql, token, clock.now())}`;
  return offered;
}

/** `isMailed`: the token is of the link that only the email has. `isAccepted`: somebody has used the other one before. */
export type UsedInvitation = Invitation & { isMailed: boolean; isAccepted: boolean };

/**
 * Uses up the invitation with this token in a transaction: of two who accept it at once, one wins. Lock the user first.
 *
 * @throws ServiceError `notFound`
 */
export async function useInvitation(tx: Transaction, token: string, now: number): Promise<UsedInvitation> {
  const [used] = await tx<UsedInvitation[]>`
    select ${invitationColumns(tx)}, accepted_at is not null as "isAccepted",
      ${isMailedTo(tx, token)} is true as "isMailed"
    from invitations where ${isUsable(tx, token, now)} for update`;
  if (used === undefined) throw linkEnded();
  await tx`update invitations set accepted_at = ${new Date(now)} where id = ${used.id} and accepted_at is null`;
  return used;
}

/** Returns the error for the token of a link that was used, was revoked, has expired or never was. */
export function linkEnded(): ServiceError {
  return new ServiceError('notFound', { message: 'This link was used, was revoked or has expired.' });
}

/** Writes a change of an invitation into the audit log. */
export function recordInvitation(
  tx: Transaction,
  audit: { by: Actor; now: number },
  verb: 'create' | 'revoke' | 'accept',
  { id, pageId, email, role, expiresAt }: Invitation,
): Promise<void> {
  const fields = { email, role, expiresAt };
  return recordChange(tx, audit, {
    pageId,
    action: `invitation.${verb}`,
    target: { type: 'invitation', id, name: email },
    before: verb === 'create' ? null : fields,
    after: verb === 'create' ? fields : null,
  });
}

function isOpen(sql: Sql | Transaction): Fragment {
  return sql`accepted_at is null and revoked_at is null`;
}

function isUsable(sql: Sql | Transaction, token: string, now: number): Fragment {
  return sql`
    (token_hash = decode(${hashSecret(token)}, 'hex') and accepted_at is null
      or ${isMailedTo(sql, token)} and (accepted_at is null
        or exists (select 1 from users u where u.email = invitations.email and ${isProvable(sql)})))
    and revoked_at is null and expires_at > ${new Date(now)}
    and not exists (select 1 from pages p where p.id = invitations.page_id and p.deleted_at is not null)`;
}

function isMailedTo(sql: Sql | Transaction, token: string): Fragment {
  return sql`mailed_token_hash = decode(${hashSecret(token)}, 'hex')`;
}

/** Whether a link in an email makes the account `u` its holder's. */
function isProvable(sql: Sql | Transaction): Fragment {
  return sql`(u.email_proven_at is null and u.disabled_at is null)`;
}

function invitationColumns(sql: Sql | Transaction): Fragment {
  return sql`
    id, page_id as "pageId", email, role, invited_by as "invitedBy",
    (select inviter.name from users inviter where inviter.email = invitations.invited_by) as "invitedByName", created_at as "createdAt",
    expires_at as "expiresAt"`;
}

/** Returns the path of an invitation. The token is in the fragment, which no browser sends and no log has. */
export function invitationPath(token: string): string {
  return `/manage/invitation#${token}`;
}

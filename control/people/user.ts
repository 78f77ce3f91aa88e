import { isLine, lineRule } from '../../contract/line.js';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { newId, parseId, type UserId } from '../../lib/ids.js';
import { parseLanguage } from '../../lib/locale/language.js';
import type { StoredPassword } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';

/** The dependencies of verbs that change people. */
export type ChangeDeps = { sql: Sql; clock: Clock; by: Actor };

/** A person with an account. */
export type User = {
  id: UserId;
  /** In lower case. */
  email: string;
  /** When the email was first proved to be the holder's; null for an account that another person may have made. */
  emailProvenAt: Date | null;
  name: string;
  /** Whether the person runs the installation, and so every page. */
  isAdmin: boolean;
  /** A language tag; null when the person has not chosen one. */
  language: string | null;
  hasPassword: boolean;
  /** Whether signing in needs a code of an app. */
  hasTotp: boolean;
  /** Issuer of the identity provider that the account belongs to; null for none. */
  issuer: string | null;
  /** null for a person who may sign in. */
  disabledAt: Date | null;
  lastSignedInAt: Date | null;
  createdAt: Date;
};

/** Selects the columns of a User, of a table `users` that the query calls `u`. */
export function userColumns(sql: Sql | Transaction): Fragment {
  return sql`
    u.id, u.email, u.email_proven_at as "emailProvenAt", u.name, u.is_admin as "isAdmin", u.language, u.password_hash is not null as "hasPassword",
    u.totp_confirmed_at is not null as "hasTotp", u.oidc_issuer as issuer, u.disabled_at as "disabledAt",
    u.last_signed_in_at as "lastSignedInAt", u.created_at as "createdAt"`;
}

/** Finds the user with this id; `undefined` for none. */
export async function findUser(sql: Sql | Transaction, id: string): Promise<User | undefined> {
  const userId = parseId<UserId>(id);
  if (userId === undefined) return undefined;
  const [user] = await sql<User[]>`select ${userColumns(sql)} from users u where u.id = ${userId}`;
  return user;
}

/** Finds the user with this email, in any case; `undefined` for none. */
export async function findUserByEmail(sql: Sql | Transaction, email: string): Promise<User | undefined> {
  const address = parseEmailAddress(email);
  if (address === undefined) return undefined;
  const [user] = await sql<User[]>`select ${userColumns(sql)} from users u where u.email = ${address}`;
  return user;
}

/** @throws ServiceError `notFound`. Locks the row for the transaction. */
export async function lockUser(tx: Transaction, id: string): Promise<User> {
  const userId = parseId<UserId>(id);
  if (userId === undefined) throw new ServiceError('notFound');
  const [user] = await tx<User[]>`select ${userColumns(tx)} from users u where u.id = ${userId} for update`;
  if (user === undefined) throw new ServiceError('notFound');
  return user;
}

/** Lists at most `limit` users, newest first, behind the one with the id `after`. */
export async function listUsers(
  { sql }: { sql: Sql },
  { limit, after }: { limit: number; after?: readonly string[] | undefined },
): Promise<User[]> {
  return sql<User[]>`
    select ${userColumns(sql)} from users u
    where ${after?.[0] ?? null}::uuid is null or u.id < ${after?.[0] ?? null}
    order by u.id desc limit ${limit}`;
}

/** Every user, newest first. */
export async function listAllUsers({ sql }: { sql: Sql }): Promise<User[]> {
  return sql<User[]>`select ${userColumns(sql)} from users u order by u.id desc`;
}

export type NewUser = {
  email: string;
  /** Whether the person has proved that the email is theirs. */
  isEmailProven?: boolean | undefined;
  name: string;
  password?: StoredPassword | undefined;
  isAdmin?: boolean | undefined;
  language?: string | null | undefined;
  identity?: { issuer: string; subject: string } | undefined;
};

/**
 * Adds a user in a transaction.
 *
 * @throws ServiceError `invalidBody` that names the field, `conflict` when somebody has the email
 */
export async function addUser(
  tx: Transaction,
  { by, now }: { by: Actor | ((user: User) => Actor); now: number },
  { email, isEmailProven = false, name, password, isAdmin = false, language = null, identity }: NewUser,
): Promise<User> {
  const row = {
    id: newId<UserId>(now),
    email: parseUserEmail(email),
    email_proven_at: isEmailProven ? new Date(now) : null,
    name: parsePersonName(name),
    password_hash: password?.hash ?? null,
    password_salt: password?.salt ?? null,
    password_parameters: password === undefined ? null : tx.json(password.parameters),
    oidc_issuer: identity?.issuer ?? null,
    oidc_subject: identity?.subject ?? null,
    is_admin: isAdmin,
    language: parseUserLanguage(language),
    created_at: new Date(now),
  };
  await tx`insert into users ${tx(row)} on conflict on constraint users_email_unique do nothing`;
  const [user] = await tx<User[]>`select ${userColumns(tx)} from users u where u.id = ${row.id}`;
  if (user === undefined) {
    throw new ServiceError('conflict', { message: `There is a user with the email ${row.email} already.` });
  }
  const actor = typeof by === 'function' ? by(user) : by;
  await recordUser(tx, { by: actor, now }, 'create', null, user);
  return user;
}

/** Writes what changed of a user into the audit log. `marks` are fields such as `passwordChanged`. */
export function recordUser(
  tx: Transaction,
  audit: { by: Actor; now: number },
  verb: 'create' | 'update' | 'delete' | 'disable' | 'enable',
  before: User | null,
  after: User | null,
  marks: AuditedFields = {},
): Promise<void> {
  const user = after ?? before;
  if (user === null) throw new Error('A change of a user has a side.');
  return recordChange(tx, audit, {
    pageId: null,
    action: `user.${verb}`,
    target: { type: 'user', id: user.id, name: user.email },
    before: before && auditedUser(before),
    after: after && { ...auditedUser(after), ...marks },
  });
}

function auditedUser({ email, name, language, hasTotp, issuer, disabledAt, ...user }: User): AuditedFields {
  const emailProven = user.emailProvenAt !== null;
  return { email, emailProven, name, admin: user.isAdmin, language, hasTotp, issuer, disabledAt };
}

/** Returns a person as an actor. `address` is the address of the client. */
export function userActor({ id, email: name }: Pick<User, 'id' | 'email'>, address?: string): Actor {
  return { type: 'user', id, name, ...(address !== undefined && { address }) };
}

/** @throws ServiceError `invalidBody` */
export function parseUserEmail(text: string): string {
  const email = parseEmailAddress(text);
  if (email !== undefined) return email;
  throw new ServiceError('invalidBody', {
    message: '/email must be an email address, such as me@example.com.',
  });
}

const nameChars = 200;

/**
 * Returns the name of a person without spaces at its ends, in Unicode's composed form.
 *
 * @throws ServiceError `invalidBody`
 */
export function parsePersonName(text: string): string {
  const name = text.normalize('NFC').trim();
  if ([...name].length <= nameChars && isLine('line', name)) return name;
  throw new ServiceError('invalidBody', {
    message: `/name must have 1 to ${nameChars} characters, and ${lineRule('line')}.`,
  });
}

/** @throws ServiceError `invalidBody` */
export function parseUserLanguage(tag: string | null): string | null {
  if (tag === null) return null;
  const language = tag.length <= 35 ? parseLanguage(tag) : undefined;
  if (language !== undefined) return language;
  throw new ServiceError('invalidBody', {
    message: '/language must be a language tag, such as en or pt-BR.',
  });
}

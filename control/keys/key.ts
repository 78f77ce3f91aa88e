import { type Scope, scopePrefix, scopes } from '../../contract/scopes.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import type { Clock } from '../../lib/clock.js';
import { type KeyId, newId, type PageId } from '../../lib/ids.js';
import { hashSecret, newSecret, secretDigits } from '../../lib/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';

const format = new RegExp(
  `^key_(?:${scopes.map((scope) => scopePrefix[scope]).join('|')})_[0-9A-Za-z]{${secretDigits}}$`,
);

/** A key as lists show it. The key itself is not stored. */
export type Key = {
  id: KeyId;
  pageId: PageId;
  scope: Scope;
  /** Who uses the key; null when nobody has said. */
  name: string | null;
  /** Such as `key_ingest_Ab3d`. */
  displayPrefix: string;
  createdAt: Date;
  /** At most two minutes behind; null for a key that was never used. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

/** `key` is the whole key. Nothing else returns or stores it. */
export type CreatedKey = { id: KeyId; scope: Scope; name: string | null; key: string };

/**
 * Creates a key of one scope for a page.
 *
 * @throws ServiceError `invalidBody` when the name is not an alias; the message does not repeat it, for it may be a key.
 */
export async function createKey(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, scope, name: given }: { pageId: PageId; scope: Scope; name?: string | undefined },
): Promise<CreatedKey> {
  const name = given === undefined ? null : parseKeyName(given);
  const now = clock.now();
  const id = newId<KeyId>(now);
  const key = newKey(scope);
  await sql`
    insert into keys (id, page_id, scope, name, secret_hash, display_prefix, created_at)
    values (${id}, ${pageId}, ${scope}, ${name}, decode(${hashSecret(key)}, 'hex'), ${displayPrefix(key)},
      ${new Date(now)})`;
  return { id, scope, name, key };
}

/**
 * Gives a key another name.
 *
 * @throws ServiceError `notFound` when no key has the id, `invalidBody` as createKey does.
 */
export async function renameKey(
  { sql }: { sql: Sql },
  { id, name }: { id: string; name: string },
): Promise<Key> {
  const [key] = await sql<Key[]>`
    update keys set name = ${parseKeyName(name)} where id::text = ${id.toLowerCase()}
    returning ${keyColumns(sql)}`;
  if (key === undefined) throw noSuchKey(id);
  return key;
}

/** The keys of a page, revoked ones included, oldest first. */
export async function listKeys({ sql }: { sql: Sql }, pageId: PageId): Promise<Key[]> {
  const keys = await sql<Key[]>`
    select ${keyColumns(sql)} from keys where page_id = ${pageId} order by created_at, id`;
  return [...keys];
}

/**
 * Revokes a key for good; every instance refuses it within 5 seconds. A key that is revoked again keeps its first time.
 *
 * @throws ServiceError `notFound` when no key has the id.
 */
export async function revokeKey(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<Key> {
  // Compared as text, so that a string that is not a UUID is the id of no key.
  const [key] = await sql<Key[]>`
    update keys set revoked_at = coalesce(revoked_at, ${new Date(clock.now())})
    where id::text = ${id.toLowerCase()}
    returning ${keyColumns(sql)}`;
  if (key === undefined) throw noSuchKey(id);
  return key;
}

function noSuchKey(id: string): ServiceError {
  const message = isKey(id)
    ? 'A key is named by its id, not by itself.'
    : `There is no key with the id "${id}".`;
  return new ServiceError('notFound', { message, hint: 'List the keys of a page with: heartline key list' });
}

function parseKeyName(text: string): string {
  const problem = problemOfAlias(text);
  if (problem !== undefined)
    throw new ServiceError('invalidBody', { message: `The name of a key ${problem}` });
  return parseAlias('/name', text);
}

function keyColumns(sql: Sql): Fragment {
  return sql`
    id, page_id as "pageId", scope, name, display_prefix as "displayPrefix", created_at as "createdAt",
    last_used_at as "lastUsedAt", revoked_at as "revokedAt"`;
}

/** A new random key: `key_<word of the scope>_`, then 32 random bytes as 43 base-62 digits. */
export function newKey(scope: Scope): string {
  return `key_${scopePrefix[scope]}_${newSecret()}`;
}

/** Whether a string has the form of a key. A string without it never reaches the database. */
export function isKey(text: string): boolean {
  return format.test(text);
}

/** The start of a key, by which people tell keys apart: its prefix and four of the 43 digits. */
export function displayPrefix(key: string): string {
  return key.slice(0, key.length - secretDigits + 4);
}

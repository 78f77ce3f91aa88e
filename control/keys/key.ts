import type { KeyAccess } from '../../contract/permissions.js';
import { type Scope, scopePrefix, scopes } from '../../contract/scopes.js';
import type { Clock } from '../../lib/clock.js';
import { type KeyId, type PageId, parseId } from '../../lib/ids.js';
import { newSecret, secretDigits } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type ActorType, personNameOf, type ShownActor, toShownActor } from '../audit/index.js';

const format = new RegExp(
  `^key_(?:${scopes.map((scope) => scopePrefix[scope]).join('|')})_[0-9A-Za-z]{${secretDigits}}$`,
);

/** A key as lists show it. The key itself is not stored. */
export type Key = {
  id: KeyId;
  /** null for a key of the installation. */
  pageId: PageId | null;
  scope: Scope;
  /** Whether a manage key may write; null for keys of other scopes. */
  access: KeyAccess | null;
  /** Who uses the key; null when nobody has said. */
  name: string | null;
  /** Such as `key_ingest_Ab3d`. */
  displayPrefix: string;
  createdAt: Date;
  /** null for a key that was made before this was kept. */
  createdBy: ShownActor | null;
  /** At most two minutes behind; null for a key that was never used. */
  lastUsedAt: Date | null;
  /** null for a key that works until it is revoked. */
  expiresAt: Date | null;
  revokedAt: Date | null;
};

/** Names one key: by its id, or by its id among the keys of a page. */
export type KeyRef = { id: string; pageId?: PageId };

export async function selectKey(
  sql: Sql | Transaction,
  { id, pageId }: KeyRef,
  locking: Fragment,
): Promise<Key> {
  const keyId = parseId<KeyId>(id);
  if (keyId === undefined) throw noSuchKey(id);
  const [row] = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from keys
    where id = ${keyId} and (${pageId ?? null}::uuid is null or page_id = ${pageId ?? null})
    ${locking}`;
  if (row === undefined) throw noSuchKey(id);
  return toKey(row);
}

/** Loads one key of a page, or with the id alone one of any page. @throws ServiceError `notFound` */
export async function loadKey({ sql }: { sql: Sql }, ref: KeyRef): Promise<Key> {
  return selectKey(sql, ref, sql``);
}

/** Lists the keys of a page, or for null of the installation, revoked ones included, oldest first. */
export async function listKeys({ sql }: { sql: Sql }, pageId: PageId | null): Promise<Key[]> {
  const rows = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from keys where page_id is not distinct from ${pageId} order by created_at, id`;
  return rows.map(toKey);
}

/** Lists at most `limit` keys of a page, newest first, behind the one with the id `after`. */
export async function listManagedKeys(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after?: readonly string[] | undefined },
): Promise<Key[]> {
  const rows = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from keys
    where page_id = ${pageId} and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null})
    order by id desc limit ${limit}`;
  return rows.map(toKey);
}

function noSuchKey(id: string): ServiceError {
  const message = isKey(id)
    ? 'A key is named by its id, not by itself.'
    : `There is no key with the id "${id}".`;
  return new ServiceError('notFound', { message, hint: 'List the keys of a page with: heartline key list' });
}

export type KeyRow = Omit<Key, 'createdBy'> & {
  createdByType: ActorType | null;
  createdById: string | null;
  createdByName: string | null;
  createdByPersonName: string | null;
};

export function keyColumns(sql: Sql | Transaction): Fragment {
  return sql`
    id, page_id as "pageId", scope, access, name, display_prefix as "displayPrefix", created_at as "createdAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    created_by_type as "createdByType", created_by_id as "createdById", created_by_name as "createdByName",
    ${personNameOf(sql, sql`keys.created_by_type = 'user'`, sql`keys.created_by_id`)} as "createdByPersonName"`;
}

export function toKey({
  createdByType: type,
  createdById,
  createdByName,
  createdByPersonName,
  ...key
}: KeyRow): Key {
  if (type === null) return { ...key, createdBy: null };
  const [id, name] = [createdById ?? '', createdByName ?? ''];
  return { ...key, createdBy: toShownActor({ type, id, name, personName: createdByPersonName }) };
}

/** Makes a new random key: `key_<word of the scope>_`, then 32 random bytes as 43 base-62 digits. */
export function newKey(scope: Scope): string {
  return `key_${scopePrefix[scope]}_${newSecret()}`;
}

/** Whether a string has the form of a key. A string without it never reaches the database. */
export function isKey(text: string): boolean {
  return format.test(text);
}

/** Returns the start of a key, by which people tell keys apart: its prefix and four of the 43 digits. */
export function displayPrefix(key: string): string {
  return key.slice(0, key.length - secretDigits + 4);
}

/** Whether a page has an ingest key that works. */
export async function hasIngestKey(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (
      select 1 from keys where page_id = ${pageId} and scope = 'ingest' and revoked_at is null
        and (expires_at is null or expires_at > ${new Date(clock.now())})) as has`;
  return row?.has ?? false;
}

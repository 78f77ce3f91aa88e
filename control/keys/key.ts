import { keysPerPageMax } from '../../contract/manage/keys.js';
import type { KeyAccess } from '../../contract/permissions.js';
import { type Scope, scopePrefix, scopes } from '../../contract/scopes.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import type { Clock } from '../../lib/clock.js';
import { type KeyId, newId, type PageId, parseId } from '../../lib/ids.js';
import { hashSecret, newSecret, secretDigits } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import {
  type Actor,
  type ActorType,
  personNameOf,
  recordChange,
  type ShownActor,
  toShownActor,
} from '../audit/index.js';

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

/** `key` is the whole key. Nothing else returns or stores it. */
export type CreatedKey = Key & { key: string };

export type CreateKeyInput = {
  /** null with the scope `admin`, whose keys are of no page. */
  pageId: PageId | null;
  scope: Scope;
  /** For the scope `manage` alone; `write` when absent. */
  access?: KeyAccess | undefined;
  name?: string | undefined;
  /** When the key ends by itself. */
  expiresAt?: Date | undefined;
};

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Creates a key of one scope.
 *
 * @throws ServiceError `invalidBody` when the name is not an alias, when the key would have ended already, and for an
 *   access of another scope than manage; the message does not repeat the name, for it may be a key. `conflict` when the
 *   page has as many keys as it may have.
 */
export async function createKey({ sql, clock, by }: Deps, input: CreateKeyInput): Promise<CreatedKey> {
  const { pageId, scope, expiresAt } = input;
  const name = input.name === undefined ? null : parseKeyName(input.name);
  const now = clock.now();
  if (input.access !== undefined && scope !== 'manage') {
    throw new ServiceError('invalidBody', { message: 'Only a key with the scope manage has an access.' });
  }
  if (expiresAt !== undefined && expiresAt.getTime() <= now) {
    throw new ServiceError('invalidBody', { message: 'A key must end in the future.' });
  }
  const access = scope === 'manage' ? (input.access ?? 'write') : null;
  const id = newId<KeyId>(now);
  const key = newKey(scope);
  return inTransaction(sql, async (tx) => {
    if (pageId !== null) await checkRoomForKey(tx, pageId);
    const [created] = await tx<KeyRow[]>`
      insert into keys (id, page_id, scope, access, name, secret_hash, display_prefix, created_at, expires_at,
        created_by_type, created_by_id, created_by_name)
      values (${id}, ${pageId}, ${scope}, ${access}, ${name}, decode(${hashSecret(key)}, 'hex'), ${displayPrefix(key)},
        ${new Date(now)}, ${expiresAt ?? null}, ${by.type}, ${by.id}, ${by.name})
      returning ${keyColumns(tx)}`;
    if (created === undefined) throw new Error('PostgreSQL returned no row.');
    const made = toKey(created);
    await recordKey(tx, { by, now }, 'create', null, made);
    return { ...made, key };
  });
}

/**
 * Locks the page until the transaction ends, so that keys created at the same time stay within the limit.
 *
 * @throws ServiceError `conflict`
 */
async function checkRoomForKey(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from keys where page_id = ${pageId} and revoked_at is null`;
  if ((row?.count ?? 0) < keysPerPageMax) return;
  throw new ServiceError('conflict', {
    message: `The page has ${keysPerPageMax} keys that are not revoked, which is the most; revoke one first.`,
  });
}

/** Names one key: by its id, or by its id among the keys of a page. */
export type KeyRef = { id: string; pageId?: PageId };

/**
 * Gives a key another name; without a name nothing changes. `check` gets the key as it is, in the transaction of the
 * change, and may refuse it.
 *
 * @throws ServiceError `notFound` when no key has the id, `invalidBody` as createKey does; what `check` throws.
 */
export async function renameKey(
  { sql, clock, by }: Deps,
  { name, check, ...ref }: KeyRef & { name?: string | undefined; check?: (key: Key) => void },
): Promise<Key> {
  const parsed = name === undefined ? undefined : parseKeyName(name);
  return inTransaction(sql, async (tx) => {
    const before = await lockKey(tx, ref);
    check?.(before);
    if (parsed === undefined) return before;
    await tx`update keys set name = ${parsed} where id = ${before.id} and name is distinct from ${parsed}`;
    const after = { ...before, name: parsed };
    await recordKey(tx, { by, now: clock.now() }, 'update', before, after);
    return after;
  });
}

/** @throws ServiceError `notFound` */
function lockKey(tx: Transaction, ref: KeyRef): Promise<Key> {
  return selectKey(tx, ref, tx`for update`);
}

async function selectKey(sql: Sql | Transaction, { id, pageId }: KeyRef, locking: Fragment): Promise<Key> {
  const keyId = parseId<KeyId>(id);
  if (keyId === undefined) throw noSuchKey(id);
  const [row] = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from keys
    where id = ${keyId} and (${pageId ?? null}::uuid is null or page_id = ${pageId ?? null})
    ${locking}`;
  if (row === undefined) throw noSuchKey(id);
  return toKey(row);
}

function recordKey(
  tx: Transaction,
  audit: { by: Actor; now: number },
  verb: 'create' | 'update' | 'revoke',
  before: Key | null,
  after: Key,
): Promise<void> {
  const fields = (key: Key) => {
    const { name, scope, access, displayPrefix, expiresAt, revokedAt } = key;
    return { name, scope, access, displayPrefix, expiresAt, revokedAt };
  };
  return recordChange(tx, audit, {
    pageId: after.pageId,
    action: `key.${verb}`,
    target: { type: 'key', id: after.id, name: after.name ?? after.displayPrefix },
    before: before && fields(before),
    after: fields(after),
  });
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

/**
 * Revokes a key for good; every instance refuses it within 5 seconds. A key that is revoked again keeps its first time.
 *
 * @throws ServiceError `notFound` when no key has the id; what `check` throws.
 */
export async function revokeKey(
  { sql, clock, by }: Deps,
  { check, ...ref }: KeyRef & { check?: (key: Key) => void },
): Promise<Key> {
  return inTransaction(sql, async (tx) => {
    const before = await lockKey(tx, ref);
    check?.(before);
    if (before.revokedAt !== null) return before;
    const now = clock.now();
    const after = { ...before, revokedAt: new Date(now) };
    await tx`update keys set revoked_at = ${after.revokedAt} where id = ${before.id}`;
    await recordKey(tx, { by, now }, 'revoke', before, after);
    return after;
  });
}

/** Revokes every key of a page that is deleted. The deletion has a row in the audit log, and the keys have none. */
export async function revokePageKeys(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await tx`update keys set revoked_at = ${new Date(now)} where page_id = ${pageId} and revoked_at is null`;
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

type KeyRow = Omit<Key, 'createdBy'> & {
  createdByType: ActorType | null;
  createdById: string | null;
  createdByName: string | null;
  createdByPersonName: string | null;
};

function keyColumns(sql: Sql | Transaction): Fragment {
  return sql`
    id, page_id as "pageId", scope, access, name, display_prefix as "displayPrefix", created_at as "createdAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    created_by_type as "createdByType", created_by_id as "createdById", created_by_name as "createdByName",
    ${personNameOf(sql, sql`keys.created_by_type = 'user'`, sql`keys.created_by_id`)} as "createdByPersonName"`;
}

function toKey({
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

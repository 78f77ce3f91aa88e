import { keysPerPageMax } from '../../contract/manage/keys.js';
import type { KeyAccess } from '../../contract/permissions.js';
import type { Scope } from '../../contract/scopes.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import type { Clock } from '../../lib/clock.js';
import { type KeyId, newId, type PageId } from '../../lib/ids.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import {
  displayPrefix,
  type Key,
  type KeyRef,
  type KeyRow,
  keyColumns,
  newKey,
  selectKey,
  toKey,
} from './key.js';

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

function parseKeyName(text: string): string {
  const problem = problemOfAlias(text);
  if (problem !== undefined)
    throw new ServiceError('invalidBody', { message: `The name of a key ${problem}` });
  return parseAlias('/name', text);
}

import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Key, type KeyRow, toKey } from './key.js';

/**
 * Revokes a key for good; every instance refuses it within seconds. A key that was revoked before keeps its
 * first time.
 *
 * @throws ControlError when there is no such key.
 */
export async function revokeKey(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<Key> {
  // Compared as text, so that a string that is no UUID is simply the id of no key.
  const [row] = await sql<KeyRow[]>`
    update keys set revoked_at = coalesce(revoked_at, ${new Date(clock.now())})
    where id::text = ${id.toLowerCase()}
    returning id, page_id, scope, display_prefix, created_at, last_used_at, revoked_at`;
  if (row === undefined) throw new ControlError(`There is no key with the id "${id}".`);
  return toKey(row);
}

import type { Scope } from '../../contract/scopes.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { type KeyId, newId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { displayPrefix, hashKey, newKey } from './key-format.js';

/** `key` is the whole key; it is in this answer and nowhere else. */
export type CreatedKey = { id: KeyId; scope: Scope; key: string };

/**
 * Makes a key of one scope for the page with this slug.
 *
 * @throws ControlError when there is no such page.
 */
export async function createKey(
  { sql, clock }: { sql: Sql; clock: Clock },
  { slug, scope }: { slug: string; scope: Scope },
): Promise<CreatedKey> {
  const now = clock.now();
  const id = newId<KeyId>(now);
  const key = newKey(scope);
  const inserted = await sql`
    insert into keys (id, page_id, scope, secret_hash, display_prefix, created_at)
    select ${id}, p.id, ${scope}, decode(${hashKey(key)}, 'hex'), ${displayPrefix(key)}, ${new Date(now)}
    from pages p where p.slug = ${slug}`;
  if (inserted.count === 0) throw new ControlError(`There is no page with the slug "${slug}".`);
  return { id, scope, key };
}

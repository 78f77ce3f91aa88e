import type { KeyId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Writes when keys were last used (Unix milliseconds by key), in one statement. A key that was written less than
 * a minute before is left alone, whichever instance did it. Rows that another instance is writing are skipped,
 * so two instances never wait for each other in a circle.
 */
export async function touchKeys({ sql }: { sql: Sql }, lastUsed: ReadonlyMap<KeyId, number>): Promise<void> {
  const ids = [...lastUsed.keys()];
  const times = [...lastUsed.values()].map((time) => new Date(time).toISOString());
  await sql`
    with due as (
      select k.id, used.at
      from keys k
      join unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at) on used.id = k.id
      where k.last_used_at is null or k.last_used_at <= used.at - interval '1 minute'
      order by k.id
      for no key update of k skip locked
    )
    update keys set last_used_at = due.at from due where keys.id = due.id`;
}

import type { Clock } from '../../lib/clock.js';
import type { KeyId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Counts a request of the key across all instances. Returns the requests, this one included, of the minute that began
 * with the first of them, and the milliseconds until that minute ends.
 */
export async function countKeyRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  keyId: KeyId,
): Promise<{ requests: number; msLeft: number }> {
  const now = clock.now();
  const at = new Date(now);
  // A window that ends later than this request's could comes from an instance whose clock is ahead, or from a request
  // that overtook this one. A difference of up to a minute is accepted.
  const [row] = await sql<{ requests: number; window_ends_at: Date }[]>`
    insert into key_requests as r (key_id, window_ends_at, requests)
    values (${keyId}, ${new Date(now + minuteMs)}, 1)
    on conflict (key_id) do update set (window_ends_at, requests) = (
      select case when lasts then r.window_ends_at else excluded.window_ends_at end,
        case when lasts then r.requests + 1 else 1 end
      from (select r.window_ends_at > ${at}
        and r.window_ends_at < excluded.window_ends_at + interval '1 minute' as lasts) as window_now
    )
    returning requests, window_ends_at`;
  if (row === undefined) throw new Error('PostgreSQL returned no row.');
  return { requests: row.requests, msLeft: row.window_ends_at.getTime() - now };
}

import type { Clock } from '../../lib/clock.js';
import type { UserId } from '../../lib/ids.js';
import { addToWindow, windowMs } from '../../sql/count-in-window.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Counts a request of a person across all instances. Returns the requests, this one included, of the minute that began
 * with the first of them, and the milliseconds until that minute ends.
 */
export async function countUserRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  userId: UserId,
): Promise<{ requests: number; msLeft: number }> {
  const now = clock.now();
  const [row] = await sql<{ requests: number; window_ends_at: Date }[]>`
    insert into user_requests as held (user_id, window_ends_at, requests)
    values (${userId}, ${new Date(now + windowMs)}, 1)
    on conflict (user_id) do update set ${addToWindow(sql, now)}
    returning requests, window_ends_at`;
  if (row === undefined) throw new Error('PostgreSQL returned no row.');
  return { requests: row.requests, msLeft: row.window_ends_at.getTime() - now };
}

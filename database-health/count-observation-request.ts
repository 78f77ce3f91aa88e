import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import type { Sql } from '../sql/open-postgres.js';

const windowMs = 60_000;

/**
 * Counts a request of the page, over all instances: how many there were in the minute that began with the first of
 * them, this one among them, and how long that minute still lasts.
 */
export async function countObservationRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId }: { pageId: PageId },
): Promise<{ requests: number; msLeft: number }> {
  const now = clock.now();
  // A minute that ends later than ours could is of an instance whose clock is ahead. A little is believed.
  const [row] = await sql<{ requests: number; window_ends_at: Date }[]>`
    insert into observation_requests as r (page_id, window_ends_at, requests)
    values (${pageId}, ${new Date(now + windowMs)}, 1)
    on conflict (page_id) do update set (window_ends_at, requests) = (
      select case when lasts then r.window_ends_at else excluded.window_ends_at end,
        case when lasts then r.requests + 1 else 1 end
      from (select r.window_ends_at > ${new Date(now)}
        and r.window_ends_at < excluded.window_ends_at + interval '1 minute' as lasts) as window_now
    )
    returning requests, window_ends_at`;
  if (row === undefined) throw new Error('PostgreSQL answered without a row.');
  return { requests: row.requests, msLeft: row.window_ends_at.getTime() - now };
}

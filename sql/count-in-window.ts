import { minuteMs } from '../lib/times.js';
import type { Fragment, Sql, Transaction } from './open-postgres.js';

/** Requests of a key or of a page are counted in windows of a minute, each of which begins with its first request. */
export const windowMs = minuteMs;

/**
 * Assignment for the conflict of an insert into a table with the columns `window_ends_at` and `requests`: adds the
 * inserted requests to the window that lasts, or begins the inserted one. The insert must name its table `held` and
 * give the row `(…, now + windowMs, number of requests)`:
 *
 *     insert into key_requests as held (key_id, window_ends_at, requests)
 *     values (${keyId}, ${new Date(now + windowMs)}, 1)
 *     on conflict (key_id) do update set ${addToWindow(sql, now)}
 *     returning requests, window_ends_at
 *
 * A window that ends later than the inserted one was begun by an instance whose clock is ahead, or by a request that
 * overtook this one: it counts if it ends less than a window later.
 *
 * @param now milliseconds since the epoch.
 * @param lengthMs length of the window, in milliseconds; a minute when absent.
 */
export function addToWindow(sql: Sql | Transaction, now: number, lengthMs = windowMs): Fragment {
  return sql`(window_ends_at, requests) = (
    select case when lasts then held.window_ends_at else excluded.window_ends_at end,
      case when lasts then held.requests else 0 end + excluded.requests
    from (select held.window_ends_at > ${new Date(now)}
      and held.window_ends_at < excluded.window_ends_at + ${lengthMs} * interval '1 millisecond' as lasts) as window_now
  )`;
}

/** A row that such an insert returns. */
export type WindowRow = { requests: number; window_ends_at: Date };

/** The requests of a window, the inserted ones included, and the milliseconds until it ends. */
export type CountedWindow = { requests: number; msLeft: number };

/** Returns the window that an insert with addToWindow() has returned. */
export function toCountedWindow([row]: readonly WindowRow[], now: number): CountedWindow {
  if (row === undefined) throw new Error('PostgreSQL returned no row.');
  return { requests: row.requests, msLeft: row.window_ends_at.getTime() - now };
}

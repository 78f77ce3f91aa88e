import { contactWayLimits } from '../../contract/manage/contact-ways.js';
import type { UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { hourMs } from '../../lib/times.js';
import { addToWindow, toCountedWindow, type WindowRow } from '../../sql/count-in-window.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

const most = { code: contactWayLimits.codesPerHour, test: contactWayLimits.testsPerHour } as const;
const named = { code: 'codes', test: 'tests' } as const;

/**
 * Counts a message that a person sends to a way of theirs, over all ways and instances. Whoever may sign in could
 * otherwise call any phone, as often as they like, at the cost of the operator.
 *
 * @param sent.now milliseconds since the epoch
 * @throws ServiceError `rateLimited` for one too many within an hour, with the seconds to wait
 */
export async function countSend(
  sql: Sql | Transaction,
  { userId, purpose, now }: { userId: UserId; purpose: 'code' | 'test'; now: number },
): Promise<void> {
  const rows = await sql<WindowRow[]>`
    insert into contact_way_sends as held (user_id, purpose, window_ends_at, requests)
    values (${userId}, ${purpose}, ${new Date(now + hourMs)}, 1)
    on conflict (user_id, purpose) do update set ${addToWindow(sql, now, hourMs)}
    returning requests, window_ends_at`;
  const { requests, msLeft } = toCountedWindow(rows, now);
  if (requests <= most[purpose]) return;
  throw new ServiceError('rateLimited', {
    message: `You have sent ${most[purpose]} ${named[purpose]} within an hour, which is the most; wait and retry.`,
    retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
  });
}

import type { UserId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { findSchedule, planOf, type ScheduleRef } from './find-schedules.js';
import { standingAt } from './shifts.js';

/**
 * Returns who of a schedule is on call at a time: one person, or nobody in a gap and for a schedule that is not there.
 * Everybody has a role on the page and may sign in.
 *
 * @param at in milliseconds since the epoch, as is `until`: when somebody else or nobody takes over; null when that is
 *   more than 400 days ahead.
 */
export async function loadOnCall(
  sql: Sql | Transaction,
  ref: ScheduleRef,
  at: number,
): Promise<{ userId: UserId; until: number | null }[]> {
  const schedule = await findSchedule(sql, { ...ref, since: at });
  const now = schedule && standingAt(planOf(schedule), at).now;
  return now ? [{ userId: now.userId, until: now.until }] : [];
}

import type { Clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Invitations stay for a while after they ended, for questions about them. */
const invitationKeptMs = 30 * dayMs;

/** How many rows were deleted, by what they were. */
export type PrunedPeople = { sessions: number; attempts: number; links: number };

/** Deletes sessions, links and counts that have ended. */
export async function prunePeople({ sql, clock }: { sql: Sql; clock: Clock }): Promise<PrunedPeople> {
  const now = new Date(clock.now());
  const kept = new Date(clock.now() - invitationKeptMs);
  const sessions = await deleteInChunks(async (rows) => {
    const gone = await sql`
      delete from user_sessions where id in (
        select id from user_sessions where expires_at <= ${now} limit ${rows})`;
    return gone.count;
  });
  const attempts = await deleteInChunks(async (rows) => {
    const gone = await sql`
      delete from sign_in_failures where subject in (
        select subject from sign_in_failures where window_ends_at <= ${now} limit ${rows})`;
    return gone.count;
  });
  await sql`delete from user_requests where window_ends_at <= ${now}`;
  const ended = await sql`
    delete from invitations
    where expires_at <= ${kept} or accepted_at <= ${kept} or revoked_at <= ${kept}`;
  const resets = await sql`delete from reset_links where expires_at <= ${now} or used_at is not null`;
  const setups = await sql`delete from setup_links where expires_at <= ${now}`;
  return { sessions, attempts, links: ended.count + resets.count + setups.count };
}

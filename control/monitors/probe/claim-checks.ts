import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type Check, checkColumns } from './check.js';

/** A check that this instance alone has until `claimedUntil`. */
export type ClaimedCheck = Check & { dueAt: Date; claimedUntil: Date };

type Deps = { sql: Sql; clock: Clock };

/** Checks are claimed up to this long before they are due, so that each can start on time. */
const claimAheadMs = 1_500;
/** What a claim lasts beyond the timeout of its check: for waiting, for storing its result, and for the clocks. */
const leaseMs = 30_000;

export type Room = {
  /** How many may be claimed. */
  room: number;
  /** Pages that have as many checks under way here as one may have. */
  fullPages: readonly PageId[];
};

/** Claims checks that are due, or nearly, the longest due first. One that another instance let lapse is among them. */
export async function claimChecks({ sql, clock }: Deps, { room, fullPages }: Room): Promise<ClaimedCheck[]> {
  const now = clock.now();
  return sql<ClaimedCheck[]>`
    with due as (
      select id from monitors
      where next_due_at <= ${new Date(now + claimAheadMs)}
        and (claimed_until is null or claimed_until <= ${new Date(now)})
        and page_id <> all(${[...fullPages]}::uuid[])
      order by next_due_at limit ${room} for update skip locked)
    update monitors m set claimed_until = date_trunc('milliseconds',
      greatest(m.next_due_at, ${new Date(now)}) + make_interval(secs => (m.timeout_ms + ${leaseMs}) / 1000.0))
    from due where m.id = due.id
    returning ${checkColumns(sql, now)}, m.next_due_at as "dueAt", m.claimed_until as "claimedUntil"`;
}

/** Gives back claims whose checks will not be made here; another instance may take them at once. */
export async function releaseChecks(sql: Sql, checks: readonly ClaimedCheck[]): Promise<void> {
  if (checks.length === 0) return;
  const claims = checks.map(({ monitorId, claimedUntil }) => ({
    id: monitorId,
    until: claimedUntil.toISOString(),
  }));
  await sql`
    update monitors m set claimed_until = null
    from (
      select m.id from monitors m join jsonb_to_recordset(${sql.json(claims)}) as c (id uuid, until timestamptz)
        on m.id = c.id and m.claimed_until = c.until
      order by m.id for update of m) mine
    where m.id = mine.id`;
}

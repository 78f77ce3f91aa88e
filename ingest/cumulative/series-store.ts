import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** A group of series; `key` is as of groupKeyOf(). */
export type GroupName = { pageId: PageId; key: string };

/** A group whose row is locked. `state` is what packGroup() has packed; empty for a new one. */
export type LockedGroup = GroupName & { state: Buffer };

/** Names a group within the process. */
export const nameOf = ({ pageId, key }: GroupName): string => `${pageId} ${key}`;

/**
 * Locks the rows of groups, which are all different, until the transaction ends, and makes those that are missing. Locks
 * in the same order everywhere, so that transactions wait for one another and do not lock up. `now` is in milliseconds
 * since the epoch.
 */
export async function lockGroups(
  tx: Transaction,
  groups: readonly GroupName[],
  now: number,
): Promise<LockedGroup[]> {
  const sorted = groups.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const [pageIds, keys] = [sorted.map(({ pageId }) => pageId), sorted.map(({ key }) => key)];
  return tx<LockedGroup[]>`
    insert into series_groups as held (page_id, key, touched_at)
    select page_id, key, ${new Date(now)}
    from unnest(${pageIds}::uuid[], ${keys}::uuid[]) with ordinality as wanted (page_id, key, place) order by place
    on conflict (page_id, key) do update set touched_at = excluded.touched_at
    returning page_id as "pageId", key, state`;
}

/**
 * Returns the number of series of a page, by their weights. Others that add series to the page wait until the transaction
 * ends, so that the number holds. Call it with all rows of groups locked.
 */
export async function countSeries(tx: Transaction, pageId: PageId): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`series of ${pageId}`}, 0))`;
  const [row] = await tx<{ series: number }[]>`
    select coalesce(sum(weight), 0)::integer as series from series_groups where page_id = ${pageId}`;
  return row?.series ?? 0;
}

/** A state to keep, as of packGroup(). One without series is deleted. */
export type GroupState = GroupName & { packed: string; weight: number };

/** Keeps the states of locked groups. */
export async function saveGroups(tx: Transaction, groups: readonly GroupState[]): Promise<void> {
  const kept = groups.filter(({ weight }) => weight > 0);
  const empty = groups.filter(({ weight }) => weight === 0);
  if (kept.length > 0)
    await tx`
      update series_groups as held set state = decode(given.packed, 'base64'), weight = given.weight
      from unnest(${kept.map(({ pageId }) => pageId)}::uuid[], ${kept.map(({ key }) => key)}::uuid[],
        ${kept.map(({ packed }) => packed)}::text[], ${kept.map(({ weight }) => weight)}::integer[])
        as given (page_id, key, packed, weight)
      where held.page_id = given.page_id and held.key = given.key`;
  if (empty.length > 0)
    await tx`
      delete from series_groups where (page_id, key) in (
        select * from unnest(${empty.map(({ pageId }) => pageId)}::uuid[], ${empty.map(({ key }) => key)}::uuid[]))`;
}

/** Deletes the groups that no point has come for since the idle time, on the slowest clock of an instance. */
export async function pruneSeries({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const before = new Date(clock.now() - limits.cumulativeIdleMinutes * minuteMs - clocksDifferMsMax);
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from series_groups
          where ctid = any(array(select ctid from series_groups where touched_at < ${before} limit ${rows}))
            and touched_at < ${before}`
      ).count,
  );
}

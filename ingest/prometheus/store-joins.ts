import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { endWhenIdle, inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Ignored } from './ignored.js';
import { type Joining, joinBuckets, noteCounted, type WaitingPoint } from './join.js';
import type { SentSeries } from './read-histograms.js';

/** A point of a histogram that is whole. */
export type WholePoint = WaitingPoint & { of: SentSeries };

/** The newest point of a histogram that has counted. */
export type CountedSeries = { series: string; atMs: number };

/** A histogram that has sent nothing for so long is forgotten: its next point is its first. */
const idleMs = dayMs;

/**
 * Adds the buckets of a body to those that wait, and returns the points that are whole, those of each histogram in the
 * order of their times. Other instances wait with the same histograms until the transaction ends. A whole point goes on
 * waiting until forgetCounted(), so that none is lost when this process ends before it has counted. `boundsBy` returns the
 * buckets of a histogram that PostgreSQL does not know, if the process does.
 *
 * @throws as the driver does; the transaction is rolled back then
 */
export async function joinInPostgres(
  { sql, boundsBy }: { sql: Sql; boundsBy(of: SentSeries): string[] | undefined },
  pageId: PageId,
  sent: readonly SentSeries[],
  now: number,
  ignored: Ignored,
): Promise<WholePoint[]> {
  if (sent.length === 0) return [];
  const bySeries = new Map(sent.map((one) => [one.series, one]));
  return inTransaction(sql, async (tx) => {
    await endWhenIdle(tx);
    const joinings = await lockJoinings(tx, pageId, [...bySeries.keys()].sort(), now, ignored, bySeries);
    const whole: WholePoint[] = [];
    const changed = new Map<string, Joining>();
    for (const [series, before] of joinings) {
      const of = bySeries.get(series);
      if (of === undefined) throw new Error('PostgreSQL returned a histogram that nobody asked for.');
      const bounds = before.bounds.size > 0 ? before.bounds : new Set(boundsBy(of));
      const joined = joinBuckets({ ...before, bounds }, of, now);
      changed.set(series, joined.after);
      whole.push(...joined.whole.map((point) => ({ ...point, of })));
      ignored.add('late', joined.late);
      ignored.add('incomplete', joined.incomplete);
    }
    await storeJoinings(tx, pageId, changed);
    return whole;
  });
}

/**
 * Forgets points that have counted. Without it they would be handed on once more, which changes nothing.
 *
 * @throws as joinInPostgres() does
 */
export async function forgetCounted(
  sql: Sql,
  pageId: PageId,
  counted: readonly CountedSeries[],
): Promise<void> {
  if (counted.length === 0) return;
  const newest = new Map<string, number>();
  for (const { series, atMs } of counted) newest.set(series, Math.max(newest.get(series) ?? 0, atMs));
  await inTransaction(sql, async (tx) => {
    await endWhenIdle(tx);
    const rows = await tx<Row[]>`
      select series, bounds, counted_at_ms as "countedAtMs", waiting from remote_write_joins
      where page_id = ${pageId} and series = any(${[...newest.keys()]}::uuid[]) order by series for update`;
    const after = rows.map(
      (row) => [row.series, noteCounted(readRow(row), newest.get(row.series) ?? 0)] as const,
    );
    await storeJoinings(tx, pageId, new Map(after));
  });
}

type Row = {
  series: string;
  bounds: string[];
  /** An int8, which the driver returns as a text. */
  countedAtMs: string;
  waiting: StoredPoint[];
};
type StoredPoint = { at: number; start?: number; since: number; buckets: Record<string, number> };

/**
 * Locks the rows of histograms, and creates those that are missing while the page has room. One statement does both, in
 * the order of the keys, so that no two transactions wait for each other.
 */
async function lockJoinings(
  tx: Transaction,
  pageId: PageId,
  sorted: readonly string[],
  now: number,
  ignored: Ignored,
  sent: ReadonlyMap<string, SentSeries>,
): Promise<Map<string, Joining>> {
  const rows = await tx<(Row & { isNew: boolean })[]>`
    insert into remote_write_joins as held (page_id, series, bounds, counted_at_ms, waiting, seen_at)
    select ${pageId}, series, '{}', 0, '[]', ${new Date(now)}
    from unnest(${sorted}::uuid[]) with ordinality as wanted (series, place) order by place
    on conflict (page_id, series) do update set seen_at = greatest(held.seen_at, excluded.seen_at)
    returning series, bounds, counted_at_ms as "countedAtMs", waiting, xmax = 0 as "isNew"`;
  const fresh = rows.filter(({ isNew }) => isNew).map(({ series }) => series);
  const refused = fresh.length === 0 ? [] : await refuseOverLimit(tx, pageId, fresh);
  for (const series of refused) {
    const points = sent.get(series)?.partial.values() ?? [];
    for (const { buckets } of points) ignored.add('too_many_series', buckets.size);
  }
  return new Map(
    rows.filter(({ series }) => !refused.includes(series)).map((row) => [row.series, readRow(row)]),
  );
}

/** Removes new histograms of a page that has too many. Returns their keys. */
async function refuseOverLimit(
  tx: Transaction,
  pageId: PageId,
  fresh: readonly string[],
): Promise<readonly string[]> {
  const [{ count } = { count: '0' }] = await tx<{ count: string }[]>`
    select count(*) from remote_write_joins where page_id = ${pageId}`;
  const over = Number(count) - limits.remoteWriteSeriesMax;
  const refused = over > 0 ? fresh.slice(-over) : [];
  if (refused.length > 0)
    await tx`delete from remote_write_joins where page_id = ${pageId} and series = any(${refused}::uuid[])`;
  return refused;
}

async function storeJoinings(
  tx: Transaction,
  pageId: PageId,
  joinings: ReadonlyMap<string, Joining>,
): Promise<void> {
  if (joinings.size === 0) return;
  const rows = [...joinings].map(([series, { bounds, countedAtMs, waiting }]) => ({
    ...{ series, bounds: [...bounds], counted: countedAtMs },
    waiting: waiting.map(storedPoint),
  }));
  await tx`
    update remote_write_joins as held
    set bounds = array(select json_array_elements_text(fresh.bounds)), counted_at_ms = fresh.counted, waiting = fresh.waiting
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as fresh (series uuid, bounds json, counted bigint, waiting json)
    where held.page_id = ${pageId} and held.series = fresh.series`;
}

function storedPoint({ atMs, startMs, sinceMs, buckets }: WaitingPoint): StoredPoint {
  return {
    ...{ at: atMs, since: sinceMs, buckets: Object.fromEntries(buckets) },
    ...(startMs !== undefined && { start: startMs }),
  };
}

function readRow({ bounds, countedAtMs, waiting }: Row): Joining {
  return {
    bounds: new Set(bounds),
    countedAtMs: Number(countedAtMs),
    waiting: waiting.map(({ at, start, since, buckets }) => ({
      ...{ atMs: at, startMs: start, sinceMs: since, buckets: new Map(Object.entries(buckets)) },
    })),
  };
}

/** Forgets the histograms that have sent nothing for a day. */
export async function pruneJoins({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const before = new Date(clock.now() - idleMs);
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from remote_write_joins
          where ctid = any(array(select ctid from remote_write_joins where seen_at < ${before} limit ${rows}))`
      ).count,
  );
}

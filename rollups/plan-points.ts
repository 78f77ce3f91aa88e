import type { Clock } from '../lib/clock.js';
import type { MonitorId, PageId } from '../lib/ids.js';
import type { Log } from '../lib/log.js';
import { dayMs, hourMs } from '../lib/times.js';
import { inTransaction } from '../sql/in-transaction.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql, Transaction } from '../sql/open-postgres.js';
import { applyExclusions } from './apply-exclusions.js';
import { findFreshHours, findGrownHours, loadStoreTime } from './find-changed-hours.js';
import { collectHourRanges, type HourRange, packBatches } from './hour-ranges.js';

/** Checks and points are kept for 400 days. The last day is not computed again, because a part of its checks may be gone. */
const computedDaysMax = 399;
/** Batches that are packed again with later changes, so that batches do not pile up while they cannot be computed. */
const repackedBatches = 20;

/** `version` is the version of the points that the run writes; `now` is in milliseconds since the epoch. */
export type Plan = { version: bigint; now: number };

/** An HourRange as the database stores it. */
/** The dependencies of a run of the job. */
export type PointsDeps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; log: Log };

export type StoredRange = [pageId: PageId, monitorId: MonitorId, from: number, to: number];

/**
 * Finds the hours whose points are out of date, and queues them as batches in the same transaction that records the
 * changes as known. So every batch is computed sooner or later, whatever happens in between. New checks, exclusions that
 * differ from those applied last, and the passing of time change points.
 *
 * Returns `undefined` when another run, which has a newer plan, has begun meanwhile.
 */
export async function planPoints({ sql, clickhouse, clock }: PointsDeps): Promise<Plan | undefined> {
  const now = clock.now();
  const oldest = Math.floor(now / dayMs - computedDaysMax) * dayMs;
  const { version, insertedUntil, computedUntil } = await beginRun(sql, now);
  const storeTime = await loadStoreTime(clickhouse);
  const changed = collectHourRanges();
  const window = { now, oldest };
  for await (const range of findFreshHours(clickhouse, { ...window, insertedUntil })) changed.add(range);
  for await (const range of findGrownHours(clickhouse, { ...window, computedUntil })) changed.add(range);
  return await inTransaction(sql, async (tx) => {
    const held = await tx`
      update points_progress
      set checks_inserted_until = ${new Date(storeTime)}, computed_until = ${new Date(now)}
      where version = ${version}`;
    if (held.count === 0) return undefined;
    for (const range of await applyExclusions(tx, now)) changed.add(range);
    for (const range of await takeNewestBatches(tx)) changed.add(range);
    const oldestHour = oldest / hourMs;
    const ranges = changed.list().map((range) => ({ ...range, from: Math.max(range.from, oldestHour) }));
    await queueBatches(tx, packBatches(ranges));
    return { version, now };
  });
}

type Progress = { version: bigint; insertedUntil: number; computedUntil: number };

/** Takes the next version, which ends other runs. Versions follow the clock, so that they grow even after a restore of the database. */
async function beginRun(sql: Sql, now: number): Promise<Progress> {
  const [row] = await sql<{ version: bigint; inserted: Date; computed: Date }[]>`
    insert into points_progress as known (version, checks_inserted_until, computed_until)
    values (${BigInt(now)}, to_timestamp(0), to_timestamp(0))
    on conflict (singleton) do update set version = greatest(known.version + 1, excluded.version)
    returning version, checks_inserted_until as inserted, computed_until as computed`;
  if (row === undefined) throw new Error('The progress of the points was not written.');
  return {
    version: row.version,
    insertedUntil: row.inserted.getTime(),
    computedUntil: row.computed.getTime(),
  };
}

async function takeNewestBatches(tx: Transaction): Promise<HourRange[]> {
  const rows = await tx<{ ranges: StoredRange[] }[]>`
    delete from points_batches
    where id in (select id from points_batches order by id desc limit ${repackedBatches})
    returning ranges`;
  return rows.flatMap(({ ranges }) => ranges.map(toRange));
}

/** Decodes a stored range. */
export function toRange([pageId, monitorId, from, to]: StoredRange): HourRange {
  return { pageId, monitorId, from, to };
}

async function queueBatches(tx: Transaction, batches: readonly HourRange[][]): Promise<void> {
  for (const batch of batches) {
    const ranges: StoredRange[] = batch.map(({ pageId, monitorId, from, to }) => [
      pageId,
      monitorId,
      from,
      to,
    ]);
    await tx`insert into points_batches (ranges) values (${tx.json(ranges)})`;
  }
}

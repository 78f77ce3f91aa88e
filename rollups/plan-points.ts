import type { MonitorId, PageId } from '../lib/ids.js';
import { inTransaction } from '../sql/in-transaction.js';
import type { JobDeps } from '../sql/job.js';
import type { Sql, Transaction } from '../sql/open-postgres.js';
import { applyExclusions } from './apply-exclusions.js';
import { findFreshHours, findGrownHours, readStoreTime } from './find-changed-hours.js';
import { collectHourRanges, dayMs, type HourRange, hourMs, packBatches } from './hour-ranges.js';

/** Checks and points are kept for 400 days; what is about to go is not computed again from a part of its checks. */
const computedDaysMax = 399;
/** Batches that are packed anew with what changed since, so that none pile up while they cannot be computed. */
const repackedBatches = 20;

/** `version` is that of the points which follow; `now` in milliseconds since the epoch. */
export type Plan = { version: bigint; now: number };

export type StoredRange = [pageId: PageId, monitorId: MonitorId, from: number, to: number];

/**
 * Finds the hours whose points are not what they should be, and writes them down as batches in the transaction that
 * takes what changed them for known: whatever happens then, a batch is computed sooner or later. Checks that came in,
 * exclusions that differ from those applied last, and time that has passed change points.
 *
 * Answers undefined when another run has begun meanwhile, which has the newer plan.
 */
export async function planPoints({ sql, clickhouse, clock }: JobDeps): Promise<Plan | undefined> {
  const now = clock.now();
  const oldest = Math.floor(now / dayMs - computedDaysMax) * dayMs;
  const { version, insertedUntil, computedUntil } = await beginRun(sql, now);
  const storeTime = await readStoreTime(clickhouse);
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

/** Takes the next version, which ends other runs. It grows with the clock so as to outlive a database set back. */
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

/** A stored range as what it stands for. */
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

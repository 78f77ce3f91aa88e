import type { MonitorId, PageId } from '../lib/ids.js';
import { importedVersion } from '../sql/measured-day.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { computeBatch } from './compute-batch.js';
import { type Plan, type PointsDeps, planPoints, type StoredRange, toRange } from './plan-points.js';

/** After an import or a long downtime, current changes do not wait until all of the past is computed. */
const planAgainAfterMs = 60_000;

/**
 * Brings the points of all monitors up to date: plans batches, then computes them, the newest first, until none is left.
 * A run that is interrupted leaves its batches to the next one. When two runs overlap, the one that began first stops.
 *
 * @throws the errors of both stores.
 */
export async function computePoints(deps: PointsDeps): Promise<void> {
  for (;;) {
    const plan = await planPoints(deps);
    if (plan === undefined || (await workOff(deps, plan)) === 'ended') return;
  }
}

/** Computes the waiting batches. Returns `outdated` when batches still wait after 60 s and the plan is old. */
async function workOff(deps: PointsDeps, plan: Plan): Promise<'ended' | 'outdated'> {
  const { sql, clock, log } = deps;
  const [queue] = await sql<{ waiting: number }[]>`select count(*)::integer as waiting from points_batches`;
  let waiting = queue?.waiting ?? 0;
  const outdatedAt = clock.now() + planAgainAfterMs;
  while (clock.now() < outdatedAt) {
    const [batch] = await sql<{ id: bigint; ranges: StoredRange[] }[]>`
      select id, ranges from points_batches order by id desc limit 1`;
    if (batch === undefined) return 'ended';
    await computeBatch(deps, batch.ranges.map(toRange), plan);
    // A run that has begun since computes the batch again, and this run ends.
    const done = await sql`
      delete from points_batches
      where id = ${batch.id} and exists (select 1 from points_progress where version = ${plan.version})`;
    if (done.count === 0) return 'ended';
    waiting -= 1;
    if (waiting > 0) log.info({ waiting }, 'Points were computed; more batches wait.');
  }
  return 'outdated';
}

/** Uptime of a UTC day `YYYY-MM-DD`: the milliseconds observed, and how many of them were up. */
export type ImportedDay = {
  pageId: PageId;
  monitorId: MonitorId;
  day: string;
  observedMs: number;
  upMs: number;
};

/** Writes days that another tool has observed. Importing the same days again changes nothing. */
export async function importDays(clickhouse: ClickHouseClient, days: readonly ImportedDay[]): Promise<void> {
  const values = days.map(({ pageId, monitorId, day, observedMs, upMs }) => ({
    ...{ page_id: pageId, monitor_id: monitorId, version: importedVersion },
    ...{ day, observed_ms: observedMs, up_ms: upMs },
  }));
  await clickhouse.insert({ table: 'monitor_days', values, format: 'JSONEachRow' });
}

import type { Test } from 'tap';
import { createDeliveryBuffer } from '../../../ingest/buffer/delivery-buffer.js';
import type { Point } from '../../../ingest/cumulative/advance.js';
import type { NamedPoint } from '../../../ingest/cumulative/count-points.js';
import { createCumulativeCommit } from '../../../ingest/cumulative/cumulative-commit.js';
import { layoutOf } from '../../../ingest/cumulative/histogram.js';
import { groupKeyOf } from '../../../ingest/cumulative/identity.js';
import { makeName, makeSource } from '../../../ingest/names/names.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { silentLog } from '../../support/silent-log.js';

/** Stands still between the steps of a test. */
export const clock = { time: Date.UTC(2026, 0, 31, 12), now: () => clock.time };
const bounds = [0.1, 0.5];
const layout = layoutOf(bounds);
export const newPage = (): PageId => newId<PageId>(clock.time);
const metrics = { inserted() {}, insertFailed() {} };

/** A point of a series of an endpoint of its own, with three buckets. */
export type Sent = {
  series: number;
  startMs: number;
  timeMs: number;
  counts: readonly number[];
  group?: string;
};

export const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** An instance on a PostgreSQL, with a pool and a store of its own. */
export function startInstance(t: Test, databaseUrl: string) {
  const pool = openPostgres(databaseUrl);
  const store = makeControlledStore();
  const buffer = createDeliveryBuffer({ sql: pool, clock, log: silentLog }, 'default');
  const commit = createCumulativeCommit({ store, buffer, log: silentLog, metrics });
  t.teardown(async () => {
    await commit.close();
    await pool.end({ timeout: 1 });
  });
  const add = (pageId: PageId, points: readonly Sent[]) =>
    commit.add(
      points.map((sent) => namedOf(pageId, sent)),
      { pageId, at: clock.time, answerBy: performance.now() + 60_000 },
    );
  return { commit, store, add };
}

function namedOf(
  pageId: PageId,
  { series, startMs, timeMs, counts, group = 'one sender' }: Sent,
): NamedPoint {
  const point: Point = {
    ...{ group: groupKeyOf([group]), hash: series, startMs, timeMs },
    histogram: {
      ...{ count: totalOf(counts), counts: { kind: 'explicit', layout, counts }, bounds },
      ...{ min: undefined, max: undefined, perUnitMs: 1_000 },
    },
  };
  const names = { source: makeSource(pageId, 'service', 'shop'), endpoint: makeName(`/${series}`) };
  const choice = { metricsFrom: 0 };
  return { point, ...names, method: makeName('GET'), status: 200, at: timeMs, choice };
}

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import type { DatabaseHealthAnswer } from '../../contract/database-health.js';
import { loadCurrentPools } from '../../database-health/current-pools.js';
import { loadExporterLoss } from '../../database-health/exporters.js';
import { insertPoolReports } from '../../database-health/pool-reports/insert-pool-reports.js';
import type { PoolReportBlock } from '../../database-health/pool-reports/stored-reports.js';
import type { DatabaseHealthQuery } from '../../database-health/query.js';
import { bucketPercentile, loadPoolSeries } from '../../database-health/series.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { newPageId } from '../analytics/support.js';
import { makePoolBlock, newSession, type PoolReportPart } from '../support/pool-blocks.js';
import { propertyOf } from '../support/property.js';
import {
  referenceCurrent,
  referenceLoss,
  referencePoint,
  type SampledPool,
  type SampledReport,
  toCounts,
} from '../support/reference-pools.js';
import { openTestClickHouse } from '../support/stores.js';

const { clickhouse } = await openTestClickHouse(t);
/** On a multiple of five minutes, which are the longest steps that are asked for. */
const base = Math.floor(Date.now() / (5 * minuteMs)) * 5 * minuteMs - 10 * minuteMs;
const end = base + 10 * minuteMs;
const sessions = [newSession(), newSession(), newSession()];
const poolNames = ['main', 'other'] as const;

const edges = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];
const durationMs = fc.oneof(
  fc.constantFrom(0, ...edges, ...edges.map((ms) => ms + 0.001), ...edges.map((ms) => ms - 0.001), 90_000),
  fc.integer({ min: 0, max: 6_000_000 }).map((us) => us / 1000),
);
const measured = fc.option(fc.integer({ min: 0, max: 12 }));
const sampledPool = (pool: string): fc.Arbitrary<SampledPool> =>
  fc.record({
    pool: fc.constant(pool),
    coverage: fc.constantFrom('complete', 'partial'),
    snapshot: fc.record({ open: measured, busy: measured, idle: measured, waiting: measured }),
    peaks: fc.record({ open: measured, busy: measured, waiting: measured }),
    failures: measured,
    created: measured,
    closed: measured,
    maximum: measured,
    durationsMs: fc.option(fc.array(durationMs, { maxLength: 60 })),
  });

/** At most one report per process and half a minute, with counters that never fall. */
const sampledReports: fc.Arbitrary<SampledReport[]> = fc
  .uniqueArray(
    fc.record({
      process: fc.integer({ min: 0, max: 2 }),
      slot: fc.integer({ min: 1, max: 20 }),
      pools: fc.tuple(...poolNames.map((name) => fc.option(sampledPool(name)))),
      lost: fc.tuple(fc.nat(3), fc.nat(3)),
    }),
    { selector: ({ process, slot }) => `${process} ${slot}`, minLength: 1, maxLength: 12 },
  )
  .map((drawn) =>
    drawn.map(({ process, slot, pools }) => {
      const upTo = drawn.filter((other) => other.process === process && other.slot <= slot);
      return {
        process,
        // Process 0 ends on whole minutes and halves of them, the others a little before.
        to: base + slot * 30_000 - 7 * process,
        pools: pools.filter((pool) => pool !== null),
        dropped: upTo.reduce((sum, { lost }) => sum + lost[0], 0),
        failures: upTo.reduce((sum, { lost }) => sum + lost[1], 0),
      };
    }),
  );

/** The same reports in blocks of one's own making, with some blocks sent again later. */
const arrangement = fc.record({
  order: fc.array(fc.double({ noNaN: true, min: 0, max: 1 }), { minLength: 12, maxLength: 12 }),
  blocks: fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }),
  again: fc.array(fc.nat(20), { maxLength: 3 }),
});
type Arrangement = typeof arrangement extends fc.Arbitrary<infer Value> ? Value : never;

/** The reports of one page, in two ways. */
const sampledCase = fc.record({
  reports: sampledReports,
  one: arrangement,
  other: arrangement,
  stepSeconds: fc.constantFrom(60, 300),
  /** How long ago the first interval could end, in milliseconds. */
  ageMs: fc.integer({ min: 0, max: 14 * minuteMs }),
});
type Arranged = { pageId: PageId; reports: readonly SampledReport[]; how: Arrangement };

/** Blocks that hold reports of several pages, as in the service. */
function arrange(pages: readonly Arranged[]): PoolReportBlock[] {
  const blocks = new Map<number, PoolReportBlock[]>();
  for (const { pageId, reports, how } of pages) {
    const shuffled = reports
      .map((report, i) => ({ report, at: how.order[i] ?? 0 }))
      .sort((a, b) => a.at - b.at);
    for (const [i, { report }] of shuffled.entries()) {
      const block = how.blocks[i] ?? 0;
      blocks.set(block, [...(blocks.get(block) ?? []), makePoolBlock(pageId, [toPart(report)])]);
    }
  }
  const once = [...blocks.values()].map((parts) => ({
    id: randomUUID(),
    reports: parts.flatMap((part) => part.reports),
  }));
  const again = (pages[0]?.how.again ?? []).flatMap((i) => once[i % once.length] ?? []);
  return [...once, ...again];
}

async function insertArranged(pages: readonly Arranged[]): Promise<void> {
  for (const block of arrange(pages)) await insertPoolReports({ clickhouse }, block);
}

function toPart({ process, to, pools, dropped, failures }: SampledReport): PoolReportPart {
  const session = sessions[process] ?? newSession();
  return {
    ...{ session, to, from: to - 30_000, startedAt: base, exporter: { dropped, failures } },
    pools: pools.map(({ durationsMs, ...pool }) => ({
      ...pool,
      acquisition: durationsMs && {
        counts: toCounts(durationsMs),
        sumMs: durationsMs.reduce((sum, ms) => sum + Math.round(ms * 1000), 0) / 1000,
      },
    })),
  };
}

/** Returns the page's rollups once all is merged. */
async function rollupsOf(page: PageId): Promise<unknown[]> {
  const tables = ['pools_minute', 'process_pools_minute', 'pool_exporters_minute'];
  return Promise.all(
    tables.map(async (table) => {
      const result = await clickhouse.query({
        query: `SELECT * EXCEPT page_id FROM ${table} FINAL WHERE page_id = {page:UUID} ORDER BY ALL`,
        query_params: { page },
        format: 'JSONEachRow',
      });
      return result.json();
    }),
  );
}

type Reads = Pick<DatabaseHealthAnswer, 'series' | 'current' | 'exporters'>;

async function readAll(page: PageId, stepSeconds: number, now: number): Promise<Reads> {
  const query: DatabaseHealthQuery = {
    ...{ from: base, to: end, stepSeconds, now, filters: {}, groupBy: null, limit: 20 },
  };
  const [{ series }, current, exporters] = await Promise.all([
    loadPoolSeries({ clickhouse }, page, query),
    loadCurrentPools({ clickhouse, clock: { now: () => now } }, page, {}),
    loadExporterLoss({ clickhouse }, page, query),
  ]);
  return { series, current, exporters };
}

function expected(reports: readonly SampledReport[], stepSeconds: number, now: number): Reads {
  const points = Array.from({ length: (end - base) / 1000 / stepSeconds }, (_, i) => {
    const at = base + i * stepSeconds * 1000;
    return { at: new Date(at).toISOString(), ...referencePoint(reports, at, at + stepSeconds * 1000) };
  });
  const identity = { service: 'api', environment: 'production' };
  const pools = poolNames.flatMap((pool) => {
    const current = referenceCurrent(reports, pool, now);
    const names = { ...identity, system: 'mongodb', target: 'orders', pool, serverPool: 'primary' };
    return current === undefined ? [] : [{ ...names, ...current }];
  });
  return {
    series: [{ group: null, points }],
    current: { pools, truncated: false },
    exporters: { services: [{ ...identity, ...referenceLoss(reports) }], truncated: false },
  };
}

t.test('any order, grouping and repetition gives the same, correct rollups', async (t) => {
  const parameters = propertyOf(t, { few: 1, many: 20 });
  let pages = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(sampledCase, { minLength: 5, maxLength: 5 }), async (cases) => {
      const sent = cases.map((one) => ({ ...one, first: newPageId(), second: newPageId() }));
      await insertArranged(sent.map(({ first, reports, one }) => ({ pageId: first, reports, how: one })));
      await insertArranged(
        sent.map(({ second, reports, other }) => ({ pageId: second, reports, how: other })),
      );
      for (const { first, second, reports, stepSeconds, ageMs } of sent) {
        const right = expected(reports, stepSeconds, base + ageMs);
        t.same(await readAll(first, stepSeconds, base + ageMs), right);
        t.same(await readAll(second, stepSeconds, base + ageMs), right);
        t.same(await rollupsOf(first), await rollupsOf(second));
        pages += 1;
      }
      if (!t.passing()) throw new Error('The figures differ.');
    }),
    parameters,
  );
  t.equal(pages, 5 * parameters.numRuns);
});

t.test('rows that are merged on disk give the same answer', async (t) => {
  const sent = fc
    .sample(sampledCase, { numRuns: 5, seed: 7 })
    .map(({ reports, one }) => ({ pageId: newPageId(), reports, how: one }));
  await insertArranged(sent);
  for (const table of ['pools_minute', 'process_pools_minute', 'pool_exporters_minute']) {
    await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
  }
  for (const { pageId, reports } of sent) {
    t.same(await readAll(pageId, 300, end), expected(reports, 300, end));
  }
});

t.test('the percentile of merged counts is the bound of the bucket of the nearest rank', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(durationMs, { maxLength: 80 }), { maxLength: 6 }),
      fc.constantFrom(50, 95, 99),
      (processes, percent) => {
        const merged = processes
          .map(toCounts)
          .reduce((sum, counts) => sum.map((count, i) => count + (counts[i] ?? 0)), toCounts([]));
        const sorted = processes.flat().sort((a, b) => a - b);
        const duration = sorted[Math.ceil((sorted.length * percent) / 100) - 1];
        const bound = edges.find((edge) => duration !== undefined && duration <= edge) ?? '> 5000';
        return bucketPercentile(merged, percent) === (duration === undefined ? null : bound);
      },
    ),
    propertyOf(t, { few: 500, many: 20_000 }),
  );
  t.end();
});

t.test('a percentile on the edge of a bucket belongs to that bucket', (t) => {
  const counts = (...some: number[]) => [...some, ...Array.from({ length: 11 - some.length }, () => 0)];
  t.equal(bucketPercentile(counts(95, 5), 95), 1);
  t.equal(bucketPercentile(counts(94, 6), 95), 5);
  t.equal(bucketPercentile([0, 0, 0, 0, 0, 0, 0, 0, 0, 95, 5], 95), 5000);
  t.equal(bucketPercentile([0, 0, 0, 0, 0, 0, 0, 0, 0, 94, 6], 95), '> 5000');
  t.equal(bucketPercentile(counts(0, 0, 1), 50), 10);
  t.equal(bucketPercentile(counts(), 95), null);
  t.equal(bucketPercentile([], 95), null);
  t.end();
});

import fc from 'fast-check';
import t from 'tap';
import type { CurrentPool, DatabaseHealthAnswer, PoolPoint } from '../../../../contract/database-health.js';
import { makePoolRows } from '../../../../web/dashboard/screens/databases/pool-rows.js';
import {
  groupCurrent,
  heightOf,
  isBeyond,
  levelOf,
  summarize,
  summaryStep,
  sumOf,
} from '../../../../web/dashboard/screens/databases/summary.js';
import { allKept } from '../../../support/kept.js';
import { propertyOf } from '../../../support/property.js';

const day = 86_400_000;

const silent: PoolPoint = {
  at: '2026-05-04T00:00:00.000Z',
  ...{ acquisitions: null, averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null, failures: null },
  ...{ created: null, closed: null, peakWaiting: null, utilisation: null, coverage: null, thin: true },
};

t.test('what is left of a range that is not all kept is no figure of it', async (t) => {
  const point = { ...silent, acquisitions: 7, failures: 1, utilisation: 0.5 };
  const answerOf = (keptFrom: string | null): DatabaseHealthAnswer => ({
    ...{ from: silent.at, to: '2026-05-05T00:00:00.000Z', step: 86_400, groupBy: 'service' },
    ...{ ...allKept, keptFrom, sources: [], current: { pools: [], truncated: false }, truncated: false },
    series: [{ group: 'shop', points: [point] }],
    exporters: { services: [], truncated: false },
  });
  const rowsOf = (keptFrom: string | null) =>
    makePoolRows({ all: undefined, groups: undefined, summary: answerOf(keptFrom) }, 'service');
  t.match(rowsOf(null), [{ group: 'shop', figures: { acquisitions: 7 } }]);
  t.match(rowsOf('2026-05-04T12:00:00.000Z'), [{ group: 'shop', figures: undefined }]);
});

t.test('a short range fits into one step, wherever it is', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2040-01-01') }),
      fc.integer({ min: 60_000, max: day / 2 }),
      (from, lengthMs) => {
        const to = from + lengthMs;
        const seconds = summaryStep({ from, to });
        const stepOf = (at: number) => Math.floor(at / 1_000 / seconds);
        // A range of half a day may contain a midnight that every step of whole days has.
        const hasMidnight = Math.floor((from - 60_000) / day) !== Math.floor((to + 60_000) / day);
        return seconds % 60 === 0 && seconds <= 14 * 86_400 && (hasMidnight || stepOf(from) === stepOf(to));
      },
    ),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('two parts of a range become one', async (t) => {
  const from = Date.parse('2026-05-04T18:00:00.000Z');
  const range = { from, to: from + day / 2, stepSeconds: 86_400 };
  const first = { ...silent, acquisitions: 10, p95Ms: 50, p99Ms: 5_000, utilisation: 0.2, failures: 1 };
  const second = { ...silent, at: '2026-05-05T00:00:00.000Z' };
  const merged = summarize(
    [
      { ...first, peakWaiting: 2, coverage: 'complete', thin: true },
      {
        ...second,
        ...{ acquisitions: 200, p95Ms: 5, p99Ms: '> 5000', utilisation: 0.8, failures: null },
        ...{ peakWaiting: 7, coverage: 'partial', thin: false },
      },
    ],
    range,
  );
  t.match(merged, {
    ...{ acquisitions: 210, failures: 1, peakWaiting: 7, p95Ms: 50, p99Ms: '> 5000' },
    ...{ coverage: 'partial', thin: false },
  });
  t.equal(merged.utilisation, 0.5, 'both parts have six hours of the range');
  t.same(summarize([silent, second], range), {
    ...{ acquisitions: null, failures: null, peakWaiting: null, p95Ms: null, p99Ms: null },
    ...{ utilisation: null, coverage: null, thin: true },
  });
  t.match(summarize([], range), { acquisitions: null, p95Ms: null });
});

t.test('the bucket without an end is drawn where it begins', async (t) => {
  t.equal(heightOf('> 5000'), 5_000);
  t.equal(heightOf(25), 25);
  t.equal(heightOf(null), null);
  t.ok(isBeyond('> 5000'));
  t.notOk(isBeyond(5_000));
});

t.test('pools of a group are added, and their processes are not', async (t) => {
  const pool: CurrentPool = {
    ...{ service: 'checkout', environment: 'production', system: 'mongodb', target: 'orders', pool: 'main' },
    ...{ serverPool: 'primary', processes: 3, coverage: 'complete', reportedAt: '2026-05-04T00:00:00.000Z' },
    snapshot: { open: 10, busy: 4, idle: 6, waiting: null },
    peaks: { open: 12, busy: 9, waiting: null },
  };
  const other: CurrentPool = {
    ...{ ...pool, target: 'stock', processes: 2, coverage: 'partial' },
    snapshot: { open: 1, busy: 1, idle: null, waiting: null },
  };
  const services = groupCurrent([pool, other], 'service');
  t.same(services.get('checkout'), {
    ...{ processes: 3, coverage: 'partial', open: 11, busy: 5, idle: 6, waiting: null },
  });
  t.same([...groupCurrent([pool, other], 'target').keys()], ['orders', 'stock']);
});

t.test('the level is below what is chosen', async (t) => {
  t.equal(levelOf({}), 'service');
  t.equal(levelOf({ service: 'checkout' }), 'target');
  t.equal(levelOf({ service: 'checkout', target: 'orders', pool: 'main' }), 'serverPool');
  t.equal(levelOf({ service: 'a', target: 'b', pool: 'c', serverPool: 'd' }), 'serverPool');
});

t.test('a sum of nothing is nothing', async (t) => {
  t.equal(sumOf([null, null]), null);
  t.equal(sumOf([null, 0]), 0);
  t.equal(sumOf([]), null);
});

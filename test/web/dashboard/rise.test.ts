import t from 'tap';
import type { TopRow, Totals } from '../../../contract/analytics/figures.js';
import { findRise } from '../../../web/dashboard/screens/overview/rise.js';

function totalsOf(requests: number, errors: number): Totals {
  const times = { averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null };
  const errorShare = requests === 0 ? null : errors / requests;
  return { requests, errors, clientErrors: 0, errorShare, requestsPerSecond: requests / 3_600, ...times };
}

function rowOf(endpoint: string, now: Totals, previous: Totals | null): TopRow {
  return { service: 'shop', endpoint, method: null, status: null, now, previous, sparkline: null };
}

const range = { from: '2026-11-23T12:00:00.000Z', to: '2026-11-23T13:00:00.000Z' };
const answerOf = (now: Totals, previous: Totals | null) => ({
  ...{ ...range, keptFrom: null, notKept: null },
  ...{ now, previous },
});
const causesOf = (rise: ReturnType<typeof findRise>) => rise?.causes.map(({ endpoint }) => endpoint);

t.test('a share that rose names the endpoints that raised it, and not those that always fail', async (t) => {
  const rows = [
    rowOf('/always', totalsOf(2_000, 500), totalsOf(2_000, 500)),
    rowOf('/new', totalsOf(1_000, 400), totalsOf(1_000, 2)),
    rowOf('/little', totalsOf(1_000, 6), totalsOf(1_000, 2)),
  ];
  const rise = findRise(answerOf(totalsOf(10_000, 906), totalsOf(10_000, 504)), rows);
  t.match(rise, { now: 0.0906, before: 0.0504 });
  t.same(causesOf(rise), ['/new']);
});

t.test('more requests with the same share are no rise', async (t) => {
  t.equal(findRise(answerOf(totalsOf(20_000, 200), totalsOf(10_000, 100)), []), undefined);
});

t.test('few errors are no rise', async (t) => {
  t.equal(findRise(answerOf(totalsOf(20, 9), totalsOf(20, 0)), []), undefined);
});

t.test('without a period before, a high share counts', async (t) => {
  const rows = [rowOf('/a', totalsOf(500, 90), null), rowOf('/b', totalsOf(500, 5), null)];
  const rise = findRise(answerOf(totalsOf(1_000, 95), null), rows);
  t.match(rise, { now: 0.095, before: null });
  t.same(causesOf(rise), ['/a']);
  t.equal(findRise(answerOf(totalsOf(100_000, 95), null), rows), undefined, 'a low share does not');
  t.equal(findRise(answerOf(totalsOf(0, 0), totalsOf(0, 0)), []), undefined);
});

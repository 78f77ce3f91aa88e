import fc from 'fast-check';
import t from 'tap';
import type { TopRow, Totals } from '../../../contract/analytics/figures.js';
import type { RequestsAnswer, RequestsPoint } from '../../../contract/analytics/requests.js';
import { wholePoints, wholeSteps } from '../../../web/dashboard/kit/counted-steps.js';
import {
  isServerOrder,
  parseSorting,
  serverOrderOf,
  usualSorting,
  writeSorting,
} from '../../../web/dashboard/screens/traffic/order.js';
import { besideNow, toTrafficSeries } from '../../../web/dashboard/screens/traffic/series.js';
import { gainOf, parseWorst, pickWorst } from '../../../web/dashboard/screens/traffic/worst-of.js';
import { allKept } from '../../support/kept.js';
import { propertyOf } from '../../support/property.js';

const start = Date.parse('2026-05-04T10:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();

t.test('an order survives its way through the address; nonsense is the usual one', async (t) => {
  const keys = ['name', 'requests', 'errors', 'errorShare', 'p50', 'p95', 'p99'];
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.boolean(), (key, isDescending) => {
      const read = parseSorting(writeSorting({ key, isDescending }));
      return read.key === key && read.isDescending === isDescending;
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  t.equal(writeSorting(usualSorting), undefined);
  t.equal(writeSorting({ key: 'p95', isDescending: true }), 'p95');
  t.equal(writeSorting({ key: 'name', isDescending: false }), 'name');
  for (const text of [undefined, '', 'weight', 'p95x', '.asc'])
    t.same(parseSorting(text), usualSorting, `${text}`);
});

t.test('the service orders by what it can, and the table says when it does not', async (t) => {
  t.equal(serverOrderOf({ key: 'errorShare', isDescending: true }), 'errorShare');
  t.equal(serverOrderOf({ key: 'p99', isDescending: true }), 'p95');
  t.equal(serverOrderOf({ key: 'name', isDescending: true }), 'requests');
  t.equal(serverOrderOf({ key: 'errors', isDescending: false }), 'requests');
  t.ok(isServerOrder({ key: 'errors', isDescending: true }));
  t.notOk(isServerOrder({ key: 'errors', isDescending: false }));
  t.notOk(isServerOrder({ key: 'p99', isDescending: true }));
});

const point = (at: number, count: number, errors = 0): RequestsPoint => ({
  ...{ at: iso(at), count, errors, clientErrors: 1 },
  ...{ averageMs: null, p50Ms: 5, p95Ms: null, p99Ms: null },
});
const answerOf = (points: RequestsPoint[], to: number, step = 120): RequestsAnswer => ({
  ...{ from: iso(start + 60_000), to: iso(to), step, ...allKept, groupBy: null, truncated: false },
  series: [{ group: null, points }],
});

t.test('rates are of the part of a step that has passed, and nothing counted is a gap', async (t) => {
  const [second, third, last] = [start + 120_000, start + 240_000, start + 360_000];
  const points = [point(start, 60, 3), point(second, 0), point(third, 240, 24), point(last, 30)];
  const series = toTrafficSeries(answerOf(points, last + 60_000), last + 45_000);
  t.same(series.at, [start, second, third, last]);
  t.same(series.requests, [1, null, 2, 30 / 45], 'the range cuts the first step, and the last goes on');
  t.same(series.errors, [3 / 60, null, 24 / 120, 0]);
  t.same(series.successes, [56 / 60, null, 215 / 120, 29 / 45]);
  t.same(series.errorShare, [0.05, null, 0.1, 0]);
  t.same(series.p50, [5, null, 5, 5]);
  const early = toTrafficSeries(answerOf(points, last + 60_000), last + 10_000);
  t.equal(early.requests.at(-1), null, 'ten seconds say nothing about a rate');
  t.same(toTrafficSeries({ ...answerOf([], last), series: [] }, last).at, []);
});

t.test('the period before stands beside this one with its last step beside the last', async (t) => {
  const end = start + 600_000;
  const now = toTrafficSeries(answerOf([point(start + 120_000, 120), point(start + 240_000, 120)], end), end);
  const before = toTrafficSeries(
    answerOf([point(start, 60), point(start + 120_000, 240), point(start + 240_000, 360)], end),
    end,
  );
  t.same(
    besideNow(now, before, ({ requests }) => requests),
    [2, 3],
  );
  t.same(
    besideNow(before, now, ({ requests }) => requests),
    [null, 1, 1],
  );
  t.equal(
    besideNow(now, { ...before, stepMs: 60_000 }, ({ requests }) => requests),
    undefined,
  );
  t.equal(
    besideNow(now, before, ({ p95 }) => p95),
    undefined,
    'nothing was measured',
  );
});

t.test('a sparkline leaves out the steps that the range cuts, and nothing counted is a gap', async (t) => {
  const range = (from: number, to: number, unfinished?: number) => ({
    ...{ from: iso(from), to: iso(to), step: 600 },
    unfinishedFrom: unfinished === undefined ? null : iso(unfinished),
  });
  const counts = { requests: [1, 0, 3, 4, 5], errors: [0, 0, 1, 0, 2] };
  t.same(wholeSteps(counts, range(start, start + 3_000_000)), {
    requests: [1, null, 3, 4, 5],
    errors: [0, null, 1, 0, 2],
  });
  t.same(wholeSteps(counts, range(start + 60_000, start + 2_940_000)), {
    requests: [null, 3, 4],
    errors: [null, 1, 0],
  });
  const running = range(start, start + 3_000_000, start + 2_400_000);
  t.same(wholeSteps(counts, running).requests, [1, null, 3, 4], 'nor is one that is not over a fall');
  const old = { requests: [null, null, 3, 4, 5], errors: [null, null, 1, 0, 2] };
  t.same(wholeSteps(old, running).requests, [null, null, 3, 4], 'what is not kept is a gap');
});

t.test('the line of a tile leaves out the same steps', async (t) => {
  const points = [0, 1, 2, 3, 4].map((i) => point(start + i * 120_000, i));
  const answer = answerOf(points, start + 600_000);
  const starts = (unfinishedFrom: string | null) =>
    wholePoints({ ...answer, unfinishedFrom }).map(({ count }) => count);
  t.same(starts(null), [1, 2, 3, 4], 'the range cuts the first');
  t.same(starts(iso(start + 480_000)), [1, 2, 3]);
  t.same(wholePoints(undefined), []);
});

const rowOf = (endpoint: string, now: Partial<Totals>, errorsBefore: number | null): TopRow =>
  ({
    ...{ service: 'shop', endpoint, method: null, status: null, sparkline: null },
    now: { errors: 0, p95Ms: null, ...now },
    previous: errorsBefore === null ? null : { errors: errorsBefore },
  }) as unknown as TopRow; // Only these fields matter.

t.test('the worst endpoints: where errors rose most, and none that did not fail', async (t) => {
  const rows = [
    rowOf('/always', { errors: 900 }, 890),
    rowOf('/fell', { errors: 500 }, 800),
    rowOf('/rose', { errors: 400, p95Ms: 12 }, 20),
    rowOf('/unknown', { errors: 100 }, null),
    rowOf('/clean', {}, 0),
  ];
  const names = (by: Parameters<typeof pickWorst>[1], max = 9) =>
    pickWorst(rows, by, max).map(({ endpoint }) => endpoint);
  t.same(names('rise'), ['/rose', '/unknown', '/always']);
  t.same(names('errors'), ['/always', '/fell', '/rose', '/unknown']);
  t.same(names('errors', 1), ['/always']);
  t.same(names('p95'), ['/rose'], 'without times nothing is slow');
  t.same(rows.map(gainOf), [10, 0, 380, 100, 0]);
  t.same([parseWorst('p95'), parseWorst('weight'), parseWorst(undefined)], ['p95', 'rise', 'rise']);
});

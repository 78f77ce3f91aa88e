import fc from 'fast-check';
import t from 'tap';
import {
  countBuckets,
  type Joining,
  joinBuckets,
  noteCounted,
  waitingMax,
  waitMs,
} from '../../../ingest/prometheus/join.js';
import type { SentSeries } from '../../../ingest/prometheus/read-histograms.js';
import { propertyOf } from '../../support/property.js';

const none: Joining = { bounds: new Set(), countedAtMs: 0, waiting: [] };
const all = { '0.1': 1, '0.5': 3, Infinity: 4, count: 4 };

/** Buckets of one histogram by the times of its points. */
function sent(points: Readonly<Record<number, object>>, ended: string[] = []): SentSeries {
  const partial = Object.entries(points).map(([at, buckets]) => {
    const atMs = Number(at);
    return [atMs, { atMs, startMs: undefined, buckets: new Map(Object.entries(buckets)) }] as const;
  });
  return {
    ...{ series: '', group: '', hash: 0, event: {}, perUnitMs: 1000 },
    ...{ partial: new Map(partial), native: [], ended: new Set(ended) },
  };
}

/** Adds bodies one after another; every whole point counts at once. */
function run(bodies: readonly SentSeries[], nowMs = 0) {
  let joining = none;
  const whole: [number, number][] = [];
  const left = { late: 0, incomplete: 0 };
  for (const body of bodies) {
    const joined = joinBuckets(joining, body, nowMs);
    joining = joined.after;
    left.late += joined.late;
    left.incomplete += joined.incomplete;
    for (const { atMs, buckets } of joined.whole) {
      whole.push([atMs, buckets.size]);
      joining = noteCounted(joining, atMs);
    }
  }
  return { joining, whole, ...left };
}

t.test('the first point waits for the second, which says that it is complete', async (t) => {
  t.strictSame(run([sent({ 1: all })]).whole, []);
  t.strictSame(run([sent({ 1: all }), sent({ 2: all })]).whole, [
    [1, 4],
    [2, 4],
  ]);
  t.strictSame(run([sent({ 1: all, 2: all, 3: all })]).whole.length, 3);
});

t.test('a point is whole when it has the buckets of the one before, from whichever bodies', async (t) => {
  const { '0.1': low, ...rest } = all;
  const first = [sent({ 1: all }), sent({ 2: all })];
  const { whole, joining } = run([
    ...first,
    sent({ 3: { '0.1': low } }),
    sent({ 3: rest }),
    sent({ 4: rest }),
  ]);
  t.strictSame(whole.at(-1), [3, 4]);
  t.strictSame(
    joining.waiting.map(({ atMs }) => atMs),
    [4],
  );
  const parts = Object.entries(all).map(([bound, count]) => sent({ 3: { [bound]: count } }));
  t.strictSame(run([...first, ...parts.slice(0, 2)]).whole.length, 2);
  // The count beside the buckets is the same as the last bucket.
  t.strictSame(run([...first, ...parts.slice(0, 3)]).whole.length, 3);
});

t.test('a newer point takes the place of one that is not whole, and what comes later is late', async (t) => {
  const { whole, incomplete, late } = run([
    ...[sent({ 1: all }), sent({ 2: all }), sent({ 3: { Infinity: 5 } }), sent({ 4: all })],
    ...[sent({ 3: { '0.1': 2 } }), sent({ 4: all })],
  ]);
  t.strictSame(
    whole.map(([atMs]) => atMs),
    [1, 2, 4],
  );
  t.strictSame([incomplete, late], [1, 5]);
});

t.test('buckets may come, go, and be learned late', async (t) => {
  const more = { ...all, '0.2': 2 };
  const base = [sent({ 1: all }), sent({ 2: all })];
  t.strictSame(run([...base, sent({ 3: more }), sent({ 4: all })]).whole.length, 3, 'waits for 0.2');
  const gone = run([...base, sent({ 3: more }), sent({ 4: all }, ['0.2'])]);
  t.strictSame(gone.whole.at(-1), [4, 4], 'is not waited for after its marker');
  const counted = [sent({ 1: { count: 4 } }), sent({ 2: { count: 4 } })];
  const learned = run([...counted, sent({ 2: all }), sent({ 3: { count: 4 } }), sent({ 3: all })]);
  t.strictSame(learned.whole.at(-1), [3, 4], 'a count that came first does not stand for its buckets');
});

t.test('a point counts as it is after a minute, if it has a count', async (t) => {
  const known = run([sent({ 1: all }), sent({ 2: all })]).joining;
  const waiting = joinBuckets(known, sent({ 3: { Infinity: 6 }, 4: { '0.1': 6 } }), 0).after;
  t.strictSame(joinBuckets(waiting, sent({}), waitMs - 1).whole, []);
  const { whole, after } = joinBuckets(waiting, sent({}), waitMs);
  t.match(whole, [{ atMs: 3, buckets: new Map([['Infinity', 6]]) }]);
  t.strictSame([...after.bounds], ['Infinity']);
});

t.test('a whole point waits until it has counted, and few points wait', async (t) => {
  const joined = joinBuckets(run([sent({ 1: all }), sent({ 2: all })]).joining, sent({ 3: all }), 0);
  const again = joinBuckets(joined.after, sent({}), 0);
  t.strictSame(
    [joined.whole, again.whole].map((whole) => whole.map(({ atMs }) => atMs)),
    [[3], [3]],
  );
  const many = Object.fromEntries(Array.from({ length: waitingMax + 5 }, (_, i) => [i + 3, { '0.1': 1 }]));
  const { after, incomplete } = joinBuckets(joined.after, sent(many), 0);
  t.equal(after.waiting.length, waitingMax);
  t.equal(after.waiting[0]?.atMs, 8);
  t.equal(incomplete, 4 + 4, 'points 3 to 7, the first of which had four buckets');
});

t.test('counts between bounds, in the order of the bounds', async (t) => {
  const buckets = new Map(Object.entries({ Infinity: 9, '10': 8, '2.5': 3, '-1': 1, count: 9 }));
  t.match(countBuckets(buckets), { count: 9, bounds: [-1, 2.5, 10], counts: { counts: [1, 2, 5, 1] } });
  t.match(countBuckets(new Map([['count', 7]])), { count: 7, bounds: [], counts: { counts: [] } });
  t.match(countBuckets(new Map([['Infinity', 7]])), { count: 7, bounds: [], counts: { counts: [] } });
  t.equal(countBuckets(new Map([['0.1', 3]])), undefined);
  t.equal(countBuckets(new Map(Object.entries({ '0.1': 3, '0.2': 2, Infinity: 4 }))), undefined);
  t.equal(countBuckets(new Map(Object.entries({ '0.1': 5, Infinity: 4 }))), undefined);
});

t.test(
  'in any order and however often, every point that counts is as it was sent, and each at most once',
  async (t) => {
    const bounds = ['0.1', '0.5', '2', 'Infinity', 'count'];
    /** The count at a time grows, and what is sent is a part of a point. */
    const piece = fc.record({
      at: fc.integer({ min: 1, max: 6 }),
      from: fc.nat(4),
      size: fc.integer({ min: 1, max: 5 }),
    });
    const countAt = (at: number, bound: string): number => at * (bounds.indexOf(bound) + 1);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, isSlow) => {
        let joining = none;
        let newest = 0;
        for (const [i, { at, from, size }] of pieces.entries()) {
          const part = bounds.slice(from, from + size).map((bound) => [bound, countAt(at, bound)]);
          const joined = joinBuckets(
            joining,
            sent({ [at]: Object.fromEntries(part) }),
            isSlow ? i * 20_000 : 0,
          );
          joining = joined.after;
          for (const point of joined.whole) {
            const isRight = [...point.buckets].every(
              ([bound, count]) => count === countAt(point.atMs, bound),
            );
            if (point.atMs <= newest || !isRight || countBuckets(point.buckets) === undefined) return false;
            newest = point.atMs;
            joining = noteCounted(joining, newest);
          }
          if (joining.waiting.some(({ atMs }) => atMs <= newest)) return false;
        }
        return true;
      }),
      propertyOf(t, { few: 300, many: 20_000 }),
    );
  },
);

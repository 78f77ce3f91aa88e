import t from 'tap';
import {
  boundsOf,
  countAtMost,
  keyOf,
  type LatencyCounts,
  latencyKeys,
  middleOf,
  nearestKeyOf,
  percentileOf,
} from '../../lib/latency-buckets.js';

/** mulberry32: the same numbers in every run, each from 0 up to 1. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = makeRandom(20_261_128);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const dayMs = 86_400_000;
const bounds = latencyKeys.map((key) => boundsOf(key).upperMs);

/** The definition: the least bound that is not below the time. */
function slowKeyOf(ms: number): number {
  let [low, high] = [0, bounds.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? 0) >= ms) high = middle;
    else low = middle + 1;
  }
  return latencyKeys[low] ?? Number.NaN;
}

/** The next double above or below a positive one. */
function neighbour(ms: number, step: 1n | -1n): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, ms);
  bits.setBigUint64(0, bits.getBigUint64(0) + step);
  return bits.getFloat64(0);
}

const differing = (values: readonly number[]) =>
  values.filter((ms) => keyOf(ms) !== slowKeyOf(ms)).slice(0, 5);

t.test('keys are readable bounds, in the order of time', async (t) => {
  t.same([0.25, 250, 300, 1_000, 86_400_000].map(keyOf), [250, 3250, 3300, 4100, 8875]);
  t.same([0, 1e-9, 0.01, 0.0100001, 0.1, 0.1000001].map(keyOf), [0, 10, 10, 20, 100, 105]);
  t.same(boundsOf(3250), { lowerMs: 240, upperMs: 250 });
  t.same(boundsOf(4100), { lowerMs: 975, upperMs: 1_000 });
  t.same(boundsOf(0), { lowerMs: 0, upperMs: 0 });
  t.same(
    latencyKeys,
    latencyKeys.toSorted((a, b) => a - b),
  );
  t.same(
    bounds,
    bounds.toSorted((a, b) => a - b),
  );
  t.ok((bounds.at(-1) ?? 0) > dayMs && (latencyKeys.at(-1) ?? 0) < 8_976, 'a key fits 16 bits');
  const wide = latencyKeys.filter((key) => {
    const { lowerMs, upperMs } = boundsOf(key);
    return key > 100 && upperMs > lowerMs * 1.05 * (1 + 1e-12);
  });
  t.same(wide, [], 'a bucket above 0.1 ms is at most 5 % wide');
});

t.test('every bound of a Prometheus export is a bound here', async (t) => {
  const exported = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];
  t.same(
    exported.map((ms) => boundsOf(keyOf(ms)).upperMs),
    exported,
  );
});

t.test('a time is in the bucket of the least bound that is not below it', async (t) => {
  const near = bounds.slice(1).flatMap((ms) => [ms, neighbour(ms, 1n), neighbour(ms, -1n)]);
  t.same(differing(near.slice(0, -2)), [], 'at the bounds and the doubles beside them');
  const edges = Array.from({ length: 32_640 }, (_, half) => {
    const bits = new DataView(new ArrayBuffer(4));
    bits.setUint16(0, half);
    return bits.getFloat32(0);
  }).filter((ms) => ms > 0 && ms < dayMs);
  const besideEdges = edges.flatMap((ms) => [ms, neighbour(ms, 1n), neighbour(ms, -1n)]);
  t.same(differing(besideEdges), [], 'where the table of first places changes');
  const values = Array.from({ length: 100_000 }, () => dayMs ** (random() * 2 - 1));
  t.same(differing(values), [], '100,000 random times');
  const keys = values.toSorted((a, b) => a - b).map(keyOf);
  t.ok(
    keys.every((key, i) => key >= (keys[i - 1] ?? 0)),
    'longer times have no lower key',
  );
  t.same([97_500_000, 97_500_001, 1e300, Number.POSITIVE_INFINITY].map(keyOf), [8975, 8975, 8975, 8975]);
});

t.test('a bucket holds its middle and its upper bound, and not its lower bound', async (t) => {
  const wrong = latencyKeys.slice(1).filter((key) => {
    const { lowerMs, upperMs } = boundsOf(key);
    const sent = Math.fround(middleOf(key));
    return keyOf(sent) !== key || keyOf(upperMs) !== key || keyOf(lowerMs) === key;
  });
  t.same(wrong, []);
  t.equal(keyOf(middleOf(0)), 0);
});

function countsOf(values: readonly number[]): LatencyCounts {
  const byKey = new Map<number, number>();
  for (const ms of values) byKey.set(keyOf(ms), (byKey.get(keyOf(ms)) ?? 0) + 1);
  const sorted = [...byKey].sort(([a], [b]) => a - b);
  return { keys: sorted.map(([key]) => key), counts: sorted.map(([, count]) => count) };
}

const distributions: Record<string, () => number> = {
  'log-normal': () => Math.exp(4 + 0.8 * normal()),
  bimodal: () => (random() < 0.6 ? 12 + normal() : 900 + 40 * normal()),
  narrow: () => 104.9 + 0.05 * random(),
  'narrow, across a bound': () => 99.9 + 0.2 * random(),
  constant: () => 123.456,
  'at a bound': () => 300,
  'just above a bound': () => 100.000_000_1,
  'two values': () => (random() < 0.95 ? 1.999 : 255.9),
  uniform: () => 1 + 999 * random(),
  'heavy-tailed': () => Math.min(5 / (1 - random()) ** (1 / 1.1), dayMs),
  huge: () => dayMs * (0.9 + 0.1 * random()),
};

t.test('a percentile is within 2.5 % of the nearest rank, for any data', async (t) => {
  const wrong: string[] = [];
  for (const [name, draw] of Object.entries(distributions)) {
    for (const size of [1, 2, 19, 100, 20_000]) {
      const values = Array.from({ length: size }, draw).sort((a, b) => a - b);
      for (const rank of [0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
        const exact = values[Math.max(1, Math.ceil(rank * size)) - 1] ?? Number.NaN;
        const found = percentileOf(countsOf(values), rank) ?? Number.NaN;
        if (!(Math.abs(found / exact - 1) <= 0.025))
          wrong.push(`${name} ${size} ${rank}: ${found} for ${exact}`);
      }
    }
  }
  t.same(wrong, []);
});

t.test('below 0.1 ms a percentile is within 5 µs', async (t) => {
  const values = Array.from({ length: 1_000 }, () => 0.1 * random()).sort((a, b) => a - b);
  for (const rank of [0.01, 0.5, 0.99]) {
    const exact = values[Math.ceil(rank * values.length) - 1] ?? Number.NaN;
    t.ok(Math.abs((percentileOf(countsOf(values), rank) ?? Number.NaN) - exact) <= 0.005, `p${rank * 100}`);
  }
  t.equal(percentileOf(countsOf([0, 0, 0]), 0.99), 0);
  t.equal(percentileOf({ keys: [], counts: [] }, 0.5), undefined);
});

t.test('counts up to a bound are exact', async (t) => {
  const values = Array.from({ length: 10_000 }, () => 1_000 * random() ** 3);
  const counts = countsOf(values);
  const wrong = [0.25, 5, 25, 300, 500, 975, 1_000].filter(
    (ms) => countAtMost(counts, keyOf(ms)) !== values.filter((value) => value <= ms).length,
  );
  t.same(wrong, []);
});

t.test('a threshold moves to the nearest bound, the lower one of two that are as near', async (t) => {
  const nearest = (ms: number) => boundsOf(nearestKeyOf(ms)).upperMs;
  t.same([300, 250, 0.01, 1_000, 86_400_000].map(nearest), [300, 250, 0.01, 1_000, 87_500_000]);
  t.same([301, 304.9, 305, 305.1, 0.001].map(nearest), [300, 300, 300, 310, 0.01]);
  const positive = bounds.filter((ms) => ms > 0);
  const slowNearest = (ms: number) =>
    positive.reduce((best, bound) => (Math.abs(bound - ms) < Math.abs(best - ms) ? bound : best), 0.01);
  const times = Array.from({ length: 3_000 }, () => Math.min(dayMs, 10 ** (random() * 10 - 2)));
  t.same(
    times.filter((ms) => nearest(ms) !== slowNearest(ms)),
    [],
  );
  t.same(
    positive.filter((ms) => nearest(ms) !== ms),
    [],
  );
});

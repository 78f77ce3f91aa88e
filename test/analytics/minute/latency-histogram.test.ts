import fc from 'fast-check';
import t from 'tap';
import { lowerEdgeMs, toHistogram } from '../../../analytics/minute/latency-histogram.js';
import { propertyOf } from '../../support/property.js';

const latencies = fc.array(
  fc.oneof(fc.double({ min: 0, max: 86_400_000, noNaN: true }), fc.constantFrom(0, 5, 100, 1e-5)),
  {
    maxLength: 60,
  },
);

/** The upper half of a 32-bit float, as the store keeps it. */
function bucketOf(ms: number): number {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, ms);
  return bits.getUint16(0);
}

function store(values: readonly number[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const ms of values) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return [...counts];
}

t.test('the lower edge of a bucket is at most 0.79 % below what is in it', async () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 86_400_000, noNaN: true }), (ms) => {
      const edge = lowerEdgeMs(bucketOf(ms));
      return edge <= Math.fround(ms) && edge >= ms * (1 - 0.0079);
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('classic buckets grow to the count, and hold what is below their bound to 0.79 %', async () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const { buckets, count } = toHistogram(store(values), 0);
      return (
        count === values.length &&
        buckets.every(({ le, count: below }, i) => {
          const least = values.filter((ms) => ms <= 1000 * le).length;
          const most = values.filter((ms) => ms <= 1000 * le * 1.0079).length;
          return below >= least && below <= most && below >= (buckets[i - 1]?.count ?? 0) && below <= count;
        })
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('native buckets hold everything, each within 2^(1/16) and 0.79 % of its bound', async () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const { native, count } = toHistogram(store(values), 0);
      let index = 0;
      let held = 0;
      let place = 0;
      const uppers: number[] = [];
      for (const { offset, length } of native.spans) {
        index += offset;
        for (let i = 0; i < length; i += 1, index += 1, place += 1) {
          held += native.deltas[place] ?? 0;
          for (let n = 0; n < held; n += 1) uppers.push(2 ** (index / 2 ** native.schema));
        }
      }
      const seconds = values
        .map((ms) => lowerEdgeMs(bucketOf(ms)) / 1000)
        .filter((value) => value > native.zeroThreshold)
        .sort((a, b) => a - b);
      return (
        uppers.length + native.zeroCount === count &&
        seconds.every((value, i) => {
          const upper = uppers[i] ?? 0;
          return value <= upper * (1 + 1e-12) && value > (upper / 2 ** (1 / 16)) * (1 - 1e-12);
        })
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

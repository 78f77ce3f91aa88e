import fc from 'fast-check';
import t from 'tap';
import { toHistogram } from '../../../analytics/minute/latency-histogram.js';
import { keyOf, type LatencyCounts, middleOf } from '../../../lib/latency-buckets.js';
import { propertyOf } from '../../support/property.js';

const latencies = fc.array(
  fc.oneof(fc.double({ min: 0, max: 86_400_000, noNaN: true }), fc.constantFrom(0, 5, 100, 1e-5)),
  {
    maxLength: 60,
  },
);

function store(values: readonly number[]): LatencyCounts {
  const counts = new Map<number, number>();
  for (const ms of values) counts.set(keyOf(ms), (counts.get(keyOf(ms)) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => a - b);
  return { keys: sorted.map(([key]) => key), counts: sorted.map(([, count]) => count) };
}

t.test('classic buckets hold exactly what is at most their bound', async () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const { buckets, count } = toHistogram(store(values), 0);
      return (
        count === values.length &&
        buckets.every(({ le, count: below }) => below === values.filter((ms) => ms <= 1000 * le).length)
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test(
  'native buckets hold everything, each within 2^(1/16) of the middle of its stored bucket',
  async () => {
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
          .map((ms) => middleOf(keyOf(ms)) / 1000)
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
  },
);

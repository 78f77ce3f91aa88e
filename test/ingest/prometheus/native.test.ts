import t from 'tap';
import { readNative } from '../../../ingest/prometheus/native.js';

const spans = (...pairs: [offset: number, length: number][]) =>
  pairs.map(([offset, length]) => ({ offset, length }));

t.test('exponential buckets, with gaps and differences of counts', async (t) => {
  // Buckets -1, 0 and 3 have 2, 3 and 1 requests.
  const message = {
    ...{ count: 7, sum: 4.2, schema: 1, zeroCount: 1 },
    ...{ positiveSpans: spans([-1, 2], [2, 1]), positiveDeltas: [2, 1, -2] },
  };
  t.strictSame(readNative(message), {
    count: 7,
    bounds: [],
    counts: { kind: 'exponential', scale: 1, zero: 1, first: -2, counts: [2, 3, 0, 0, 1] },
  });
  t.match(readNative({ count: 2, zeroCount: 2 }), { count: 2, counts: { zero: 2, counts: [] } });
  t.match(readNative({}), { count: 0, counts: { counts: [] } });
});

t.test('requests below zero count like those that took no time', async (t) => {
  const message = { count: 5, zeroCount: 1, positiveSpans: spans([0, 1]), positiveDeltas: [2] };
  t.match(readNative({ ...message, negativeSpans: spans([0, 1]) }), { count: 5, counts: { zero: 3 } });
  t.equal(readNative(message), 'malformed');
});

t.test('buckets with bounds of their own', async (t) => {
  const message = {
    ...{ count: 6, schema: -53, customValues: [0.1, 0.5, 2] },
    ...{ positiveSpans: spans([0, 1], [2, 1]), positiveDeltas: [4, -2] },
  };
  t.match(readNative(message), {
    count: 6,
    bounds: [0.1, 0.5, 2],
    counts: { kind: 'explicit', counts: [4, 0, 0, 2] },
  });
  const wrong = [
    { ...message, count: 7 },
    { ...message, customValues: [0.1, 0.5] },
    { ...message, customValues: [0.1, 0.1, 2] },
    { ...message, positiveSpans: spans([-1, 1], [2, 1]) },
  ];
  t.strictSame(
    wrong.map((one) => readNative(one)),
    wrong.map(() => 'malformed'),
  );
});

t.test('why others count nothing', async (t) => {
  const buckets = { count: 2, positiveSpans: spans([0, 1]), positiveDeltas: [2] };
  const cases: [object, string][] = [
    [{ ...buckets, sum: Number.NaN }, 'stale'],
    [{ ...buckets, resetHint: 3 }, 'other_form'],
    [{ countFloat: 2.5, positiveSpans: spans([0, 1]) }, 'other_form'],
    [{ ...buckets, positiveDeltas: [2, 1] }, 'malformed'],
    [{ ...buckets, positiveDeltas: [] }, 'malformed'],
    [{ ...buckets, positiveDeltas: [-2] }, 'malformed'],
    [{ ...buckets, count: 1 }, 'malformed'],
    [{ ...buckets, schema: 21 }, 'malformed'],
    [{ ...buckets, schema: -53 + 1 }, 'malformed'],
    [{ count: 3, positiveSpans: spans([0, 1], [-5, 1]), positiveDeltas: [1, 1] }, 'malformed'],
    [{ ...buckets, positiveSpans: spans([0, 2 ** 31]) }, 'malformed'],
    [{ count: 3, positiveSpans: spans([0, 1], [1000, 1]), positiveDeltas: [1, 1] }, 'too_many_buckets'],
  ];
  t.strictSame(
    cases.map(([message]) => readNative(message as Record<string, unknown>)),
    cases.map(([, reason]) => reason),
  );
});

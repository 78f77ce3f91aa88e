import { countAtMost, keyOf, type LatencyCounts, middleOf } from '../../lib/latency-buckets.js';

/** Response times in the forms of Prometheus. */
export type LatencyHistogram = {
  count: number;
  sumSeconds: number;
  /** Classic buckets: requests up to `le` seconds, ascending; the last bucket, of all of them, is left out. */
  buckets: readonly { le: number; count: number }[];
  /** A native histogram: runs of buckets with the gap before each, and the difference of each count to the one before. */
  native: {
    schema: number;
    zeroThreshold: number;
    zeroCount: number;
    spans: readonly { offset: number; length: number }[];
    deltas: readonly number[];
  };
};

/** The buckets of the clients of Prometheus, and three for slow requests, in milliseconds. All are bounds of ours. */
const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];
/** Each native bucket is 2^(1/16) times as wide as the one before: it adds 2.2 % at most to the error of a quantile. */
const schema = 4;
/** Below a microsecond, which is the least that is stored. */
const zeroThreshold = 1e-6;

/**
 * Puts response times into classic and native buckets. Counts of classic buckets are exact. In native buckets a response
 * time counts as the middle of the stored bucket that it is in, which is at most 2.5 % away.
 */
export function toHistogram(latencies: LatencyCounts, sumUs: number): LatencyHistogram {
  const middles = latencies.keys.map((key, i) => ({
    seconds: middleOf(key) / 1000,
    count: latencies.counts[i] ?? 0,
  }));
  const countOf = (some: typeof middles): number => some.reduce((sum, { count }) => sum + count, 0);
  return {
    count: countOf(middles),
    sumSeconds: sumUs / 1e6,
    buckets: boundsMs.map((ms) => ({ le: ms / 1000, count: countAtMost(latencies, keyOf(ms)) })),
    native: {
      ...{ schema, zeroThreshold },
      zeroCount: countOf(middles.filter(({ seconds }) => seconds <= zeroThreshold)),
      ...toSpans(middles.filter(({ seconds }) => seconds > zeroThreshold)),
    },
  };
}

/** Bucket `i` of a native histogram ends at 2^(i / 2^schema), inclusive. */
function toSpans(middles: readonly { seconds: number; count: number }[]) {
  const counts = new Map<number, number>();
  for (const { seconds, count } of middles) {
    const index = Math.ceil(Math.log2(seconds) * 2 ** schema);
    counts.set(index, (counts.get(index) ?? 0) + count);
  }
  const spans: { offset: number; length: number }[] = [];
  const deltas: number[] = [];
  let next: number | undefined;
  let before = 0;
  for (const [index, count] of counts) {
    const last = spans.at(-1);
    if (last === undefined || index !== next) spans.push({ offset: index - (next ?? 0), length: 1 });
    else last.length += 1;
    deltas.push(count - before);
    before = count;
    next = index + 1;
  }
  return { spans, deltas };
}

/** Response times in the buckets in which they are stored: the upper half of a 32-bit float, in milliseconds, with its count. */
export type StoredBuckets = readonly (readonly [bucket: number, count: number])[];

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

/** The buckets of the clients of Prometheus, and three for slow requests, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Each native bucket is 2^(1/16) times as wide as the one before: a quantile is off by 2.2 % at most. */
const schema = 4;
/** Below a microsecond, which is the least that is stored. */
const zeroThreshold = 1e-6;

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);

/** Lower edge of a stored bucket, in milliseconds. It is at most 0.79 % below what is in the bucket. */
export function lowerEdgeMs(bucket: number): number {
  u32[0] = (bucket << 16) >>> 0;
  return f32[0] ?? 0;
}

/**
 * Puts response times into classic and native buckets by the lower edge of the stored bucket that they are in. One that is
 * up to 0.79 % above a bound may therefore count below it.
 */
export function toHistogram(stored: StoredBuckets, sumUs: number): LatencyHistogram {
  const edges = stored
    .map(([bucket, count]) => ({ seconds: lowerEdgeMs(bucket) / 1000, count }))
    .sort((a, b) => a.seconds - b.seconds);
  const countOf = (isIn: (seconds: number) => boolean): number =>
    edges.reduce((sum, { seconds, count }) => sum + (isIn(seconds) ? count : 0), 0);
  return {
    count: countOf(() => true),
    sumSeconds: sumUs / 1e6,
    buckets: bounds.map((le) => ({ le, count: countOf((seconds) => seconds <= le) })),
    native: {
      ...{ schema, zeroThreshold, zeroCount: countOf((seconds) => seconds <= zeroThreshold) },
      ...toSpans(edges.filter(({ seconds }) => seconds > zeroThreshold)),
    },
  };
}

/** Bucket `i` of a native histogram ends at 2^(i / 2^schema), inclusive. */
function toSpans(edges: readonly { seconds: number; count: number }[]) {
  const counts = new Map<number, number>();
  for (const { seconds, count } of edges) {
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

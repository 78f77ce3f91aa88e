/** Response times of a histogram: `times` requests took `ms`. */
export type Latency = { ms: number; times: number };

/** A bucket of a histogram with requests in it. */
export type Bucket = { count: number; fromMs: number; toMs: number };

/** Values between the bounds of a bucket. More would not say more: nobody knows where in it the requests are. */
const valuesPerBucket = 8;

/** Spreads the requests of each bucket evenly between its bounds, over eight response times at most. */
export function* spread(buckets: readonly Bucket[]): Generator<Latency> {
  for (const { count, fromMs, toMs } of buckets) {
    const values = Math.min(count, valuesPerBucket);
    const each = Math.floor(count / values);
    const more = count - each * values;
    for (let i = 0; i < values; i += 1) {
      const ms = fromMs + ((i + 0.5) / values) * (toMs - fromMs);
      yield { ms, times: each + (i < more ? 1 : 0) };
    }
  }
}

/** Response times of a histogram: `times` requests took `ms`. */
export type Latency = { ms: number; times: number };

/** Values between the bounds of a bucket. More would not say more: nobody knows where in it the requests are. */
const valuesPerBucket = 8;

/** Spreads `count` requests evenly between two response times, over eight values at most. */
export function spread(count: number, fromMs: number, toMs: number, latencies: Latency[]): void {
  const values = Math.min(count, valuesPerBucket);
  const each = Math.floor(count / values);
  const more = count - each * values;
  for (let i = 0; i < values; i += 1) {
    const ms = fromMs + ((i + 0.5) / values) * (toMs - fromMs);
    latencies.push({ ms, times: each + (i < more ? 1 : 0) });
  }
}

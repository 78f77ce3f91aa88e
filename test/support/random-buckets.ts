import { latencyKeys } from '../../lib/latency-buckets.js';

/** Counts of response times by the key of their bucket. */
export type Buckets = Map<number, number>;

/** Few or many neighbouring buckets anywhere, with counts of one to thousands of millions. */
export function randomBuckets(random: () => number): Buckets {
  const first = Math.floor(random() * latencyKeys.length);
  const among = latencyKeys.slice(first, first + 1 + Math.floor(random() ** 3 * 300));
  const scale = 10 ** Math.floor(random() * 10);
  const kept = among.filter(() => random() < 0.7);
  return new Map(kept.map((key) => [key, 1 + Math.floor(random() * scale)]));
}

/** Returns the sums of several rows, in the order of the keys. */
export function mergeBuckets(parts: readonly Buckets[]): { keys: number[]; counts: number[] } {
  const merged: Buckets = new Map();
  for (const [key, count] of parts.flatMap((part) => [...part]))
    merged.set(key, (merged.get(key) ?? 0) + count);
  const sorted = [...merged].sort(([a], [b]) => a - b);
  return { keys: sorted.map(([key]) => key), counts: sorted.map(([, count]) => count) };
}

/** Groups of up to four rows, then one without counts, one of requests that took no time, and one of a single request. */
export function randomGroups(random: () => number, count: number): Buckets[][] {
  const groups = Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => randomBuckets(random)),
  );
  return [...groups, [new Map()], [new Map([[0, 5]])], [new Map([[3250, 1]])]];
}

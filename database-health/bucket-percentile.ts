import { longestBucket } from '../contract/database-health.js';
import { acquisitionBoundsMs } from '../contract/pool-reports.js';

/**
 * Upper bound, in milliseconds, of the bucket that holds a percentile by nearest rank: of n durations in their order,
 * that of number ⌈n · percent / 100⌉. Null when there are none.
 *
 * @param counts of the buckets, each merged over all intervals first.
 * @param percent a whole number, so that the rank is exact.
 */
export function bucketPercentile(
  counts: readonly number[],
  percent: number,
): number | typeof longestBucket | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.ceil((total * percent) / 100);
  let upTo = 0;
  const bucket = counts.findIndex((count) => {
    upTo += count;
    return upTo >= rank;
  });
  return acquisitionBoundsMs[bucket] ?? longestBucket;
}

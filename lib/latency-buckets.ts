/**
 * Buckets of response times, the same in the process, in ClickHouse and in what tenants read. The key of a bucket is its
 * upper bound, readable and in the order of time: 1000 · E + M stands for M · 10^E microseconds. 3250 is 250 ms, 4100 is
 * 1 s. M goes from 100 to 200 in steps of 5, to 500 in steps of 10 and to 1,000 in steps of 25, so that a bucket is at most
 * 5 % wide: it holds times from above the bound before it up to and including its own. The bounds are round, so counts
 * of requests that took at most 300 ms, or at most a bucket of Prometheus, are exact sums. Below 0.1 ms a bucket is 10 µs
 * wide, and key 0 is exactly 0.
 */
export type LatencyKey = number;

/** Counts by bucket, in the order of the keys; a key occurs once. */
export type LatencyCounts = {
  readonly keys: readonly LatencyKey[];
  readonly counts: readonly number[];
};

const stepsOfDecade = [
  { from: 100, below: 200, step: 5 },
  { from: 200, below: 500, step: 10 },
  { from: 500, below: 1000, step: 25 },
] as const;
/** 8 holds a day, which is the longest response time. */
const exponentMax = 8;

/** Every key in its order: 10 below 0.1 ms, and 70 a decade. */
export const latencyKeys: readonly LatencyKey[] = listKeys();

function listKeys(): LatencyKey[] {
  const keys: LatencyKey[] = [];
  for (let mantissa = 0; mantissa < 100; mantissa += 10) keys.push(mantissa);
  for (let exponent = 0; exponent <= exponentMax; exponent += 1) {
    for (const { from, below, step } of stepsOfDecade) {
      for (let mantissa = from; mantissa < below; mantissa += step) keys.push(1000 * exponent + mantissa);
    }
  }
  return keys;
}

/** Whole microseconds, so that the division by 1,000 gives the double that is nearest to the bound. */
function upperUsOf(key: LatencyKey): number {
  return (key % 1000) * 10 ** Math.floor(key / 1000);
}

const keyTable = Uint16Array.from(latencyKeys);
const last = keyTable.length - 1;
const boundsMs = Float64Array.from(latencyKeys, (key) => upperUsOf(key) / 1000);
/** `boundsMs`, but whatever is longer is in the last bucket, too. */
const limitsMs = boundsMs.with(last, Number.POSITIVE_INFINITY);

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);

/**
 * By the upper half of a time as a 32-bit float, the place of the bucket that holds the least of such times. They lie
 * within 1/128 of each other and bounds are at least 2.5 % apart, so the bucket is this one or the next.
 */
const firstPlaces = listFirstPlaces();

function listFirstPlaces(): Uint16Array {
  const places = new Uint16Array(0x8000);
  let place = 0;
  for (let half = 0; half < places.length; half += 1) {
    u32[0] = half << 16;
    const leastMs = f32[0] ?? 0;
    while (leastMs > (limitsMs[place] ?? 0)) place += 1;
    places[half] = place;
  }
  return places;
}

/**
 * Returns the key of the bucket of a response time: 0 or more milliseconds. It is exact at the bounds: 100 ms is in the
 * bucket of 100 ms, and 100.0000001 ms in the next. Times of more than a day are in the last bucket. Three reads of
 * tables, because every event comes through here.
 */
export function keyOf(ms: number): LatencyKey {
  return keyTable[placeOf(ms)] ?? 0;
}

function placeOf(ms: number): number {
  f32[0] = ms;
  const place = firstPlaces[(u32[0] ?? 0) >>> 16] ?? last;
  return ms > (limitsMs[place] ?? 0) ? place + 1 : place;
}

/**
 * Returns the bounds of a bucket in milliseconds: it holds what is above `lowerMs` and at most `upperMs`. A part of the
 * reference, see percentileOf().
 */
export function boundsOf(key: LatencyKey): { lowerMs: number; upperMs: number } {
  const upperMs = upperUsOf(key) / 1000;
  return { lowerMs: boundsMs[placeOf(upperMs) - 1] ?? 0, upperMs };
}

/**
 * Returns the bucket whose upper bound is nearest to a time above 0, the lower one of two that are as near: "at most so many
 * ms" is exact at a bound only.
 */
export function nearestKeyOf(ms: number): LatencyKey {
  const place = Math.min(placeOf(ms), last);
  const [below = 0, above = 0] = [boundsMs[place - 1], boundsMs[place]];
  // The bucket of exactly 0 holds no time above it.
  const nearest = place > 1 && ms - below <= above - ms ? place - 1 : place;
  return keyTable[nearest] ?? 0;
}

/** By key; every bucket of every row that is sent reads it. */
const middlesMs = listMiddles();

function listMiddles(): Float64Array {
  const middles = new Float64Array((keyTable[last] ?? 0) + 1);
  for (const [place, key] of latencyKeys.entries()) {
    middles[key] = ((boundsMs[place - 1] ?? 0) + (boundsMs[place] ?? 0)) / 2;
  }
  return middles;
}

/** Returns the time that stands for a bucket where a single one is sent, in milliseconds: its middle. */
export function middleOf(key: LatencyKey): number {
  return middlesMs[key] ?? 0;
}

/** Returns how many took at most the upper bound of a bucket. */
export function countAtMost({ keys, counts }: LatencyCounts, key: LatencyKey): number {
  return keys.reduce((sum, one, i) => (one <= key ? sum + (counts[i] ?? 0) : sum), 0);
}

/** The widest bucket above 0.1 ms is 1.05 times its lower bound, which is less than the square of this. */
const ratioMax = 1.025;
/** Buckets up to this key are 10 µs wide. */
const narrowKeyMax = 100;

/**
 * The reference of percentilesOfBuckets() of sql/latency-percentiles.ts, which computes them in ClickHouse.
 *
 * Returns the percentile at `rank` · 100 in milliseconds, or `undefined` when nothing is counted. It finds the bucket of
 * the nearest rank, ⌈rank · n⌉, goes as far into it as the rank is among its counts, and stays within 2.5 % of both
 * bounds.
 *
 * The answer a is off by at most 2.5 % for any data above 0.1 ms: the exact value v lies above the lower bound l and not
 * above the upper bound u, and a lies between u / 1.025 and 1.025 · l. So a / v is less than (1.025 · l) / l and at least
 * (u / 1.025) / u. There is such an a, because u is at most 1.05 · l, which is less than 1.025² · l. Below 0.1 ms the
 * answer is the middle of the bucket, within 5 µs.
 */
export function percentileOf({ keys, counts }: LatencyCounts, rank: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const wanted = Math.max(1, Math.ceil(rank * total));
  let before = 0;
  for (const [i, key] of keys.entries()) {
    const count = counts[i] ?? 0;
    if (before + count >= wanted) return timeAt(key, (wanted - before - 0.5) / count);
    before += count;
  }
  return undefined;
}

/** The time at a share of a bucket. */
function timeAt(key: LatencyKey, share: number): number {
  if (key <= narrowKeyMax) return middleOf(key);
  const { lowerMs, upperMs } = boundsOf(key);
  const ms = lowerMs + (upperMs - lowerMs) * share;
  return Math.min(Math.max(ms, upperMs / ratioMax), lowerMs * ratioMax);
}

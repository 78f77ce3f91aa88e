/** Bounds of three digits and the times below 0.1 ms, in the order of roundDown(), which rounds to the lower one. */
const bounds =
  'arrayConcat(range(-975, -499, 25), range(-490, -199, 10), range(-195, -99, 5), range(-90, 1, 10))';

/** Powers of ten above 1 that the bound of a time has, in microseconds; above 975 it is the 100 of the next power. */
const exponent = ['0.975', '9.75', '97.5', '975', '9750', '97500', '975000', '9750000']
  .map((ms) => `(ms > ${ms})`)
  .join(' + ');

/**
 * Returns the ClickHouse expression for the keys of response times, as keyOf() of lib/latency-buckets.ts gives them: an
 * Array(UInt16) from an Array(Float32) of milliseconds. A key costs 50 ns. Schema files repeat it, because they never
 * change; a test compares them with this one.
 */
export function keysOf(valuesMs: string): string {
  const key = `1000 * e - roundDown(-toInt32(ceil(least(ms, 97500000) * 1000 / intExp10(e))), ${bounds})`;
  return `arrayMap((ms, e) -> toUInt16(${key}), ${valuesMs}, arrayMap(ms -> ${exponent}, ${valuesMs}))`;
}

/**
 * Returns the ClickHouse expression for the buckets of weighted response times: a Map(UInt16, UInt64), each key once, from an
 * Array(Float32) of milliseconds and an array of as many unsigned weights.
 */
export function bucketsOf(valuesMs: string, weights: string): string {
  return `arrayReduce('sumMap', [mapFromArrays(${keysOf(valuesMs)}, ${weights})])`;
}

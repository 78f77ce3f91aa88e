/**
 * The middle of a bucket of response times, in milliseconds: the first value of each is its number as the upper 15 bits of
 * a 32-bit float.
 */
export function middleOfBucket(bucket: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setUint32(0, bucket << 17);
  bits.setUint32(4, (bucket + 1) << 17);
  return roundMs((bits.getFloat32(0) + bits.getFloat32(4)) / 2);
}

/** Rounds milliseconds to one decimal below 10, and to whole ones from there. */
export const roundMs = (ms: number): number => (ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms));

/** The upper 15 bits of a response time as a 32-bit float. */
export function bucketOf(ms: number): number {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, ms);
  return bits.getUint16(0) >> 1;
}

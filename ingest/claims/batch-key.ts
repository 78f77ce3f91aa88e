import { createHash } from 'node:crypto';

/** Hashed, because the two texts have up to 264 characters, and 800,000 keys may be held at a time. */
const keyBytes = 16;

/**
 * Returns what batches of a page are told apart by, as a UUID: the first 128 bits of the SHA-256 of reporter and id.
 * Reporters choose their ids without knowing of one another. `reporterId` is undefined in v1, and never equals one.
 */
export function batchKeyOf(reporterId: string | undefined, batchId: string): string {
  const hash = createHash('sha256').update(JSON.stringify([reporterId ?? null, batchId.toWellFormed()]));
  const hex = hash.digest().subarray(0, keyBytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

import { hash } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import { longerThan } from '../../lib/event-fields.js';
import { ServiceError } from '../../lib/service-error.js';

/** Hashed, because the two texts have up to 264 characters, and 800,000 keys may be held at a time. */
const keyBytes = 16;

/**
 * Parses the id by which a sender names a batch. null counts as absent, as in the fields of a reporter.
 *
 * @throws ServiceError `invalidBatchId`
 */
export function parseBatchId(sent: unknown): string | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent !== 'string' || sent === '' || longerThan(sent, limits.batchIdChars)) {
    throw new ServiceError('invalidBatchId');
  }
  return sent;
}

/**
 * Returns the key that tells batches of a page apart, as a UUID: the first 128 bits of the SHA-256 of reporter and id.
 * Reporters choose their ids without knowing of one another. `reporterId` is undefined in v1, and never equals one.
 */
export function batchKeyOf(reporterId: string | undefined, batchId: string): string {
  // In one call: an object that takes parts costs twice as much.
  const hex = hash('sha256', JSON.stringify([reporterId ?? null, batchId.toWellFormed()]), 'hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 2 * keyBytes),
  ].join('-');
}

import { limits } from '../../contract/limits.js';
import { longerThan } from '../../lib/event-fields.js';
import { ServiceError } from '../../lib/service-error.js';

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

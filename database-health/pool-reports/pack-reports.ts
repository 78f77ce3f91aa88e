import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { IncomingReport } from './incoming.js';
import type { StoredPoolReport } from './pool-row.js';

/** Reports as they wait in PostgreSQL: a JSON array of StoredPoolReport, deflated. */
export function packReports(reports: readonly IncomingReport[]): Buffer {
  const texts = reports.map(
    ({ pageId, receivedAt, json }) => `{"pageId":"${pageId}","receivedAt":${receivedAt},"report":${json}}`,
  );
  return deflateRawSync(`[${texts.join(',')}]`, { level: 1 });
}

/** What waits is not what was written. */
export class BrokenBlock extends Error {}

/**
 * The opposite of packReports().
 *
 * @throws BrokenBlock
 */
export function unpackReports(body: Buffer): StoredPoolReport[] {
  try {
    const reports: StoredPoolReport[] = JSON.parse(inflateRawSync(body).toString('utf8')); // As packReports() wrote them.
    return reports;
  } catch (cause) {
    throw new BrokenBlock('A block of pool reports cannot be read.', { cause });
  }
}

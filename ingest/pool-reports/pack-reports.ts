import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StoredPoolReport } from '../../contract/pool-row.js';
import type { IncomingReport } from './incoming.js';

/** Reports as they wait in PostgreSQL: a JSON array of StoredPoolReport, deflated. */
export function packReports(reports: readonly IncomingReport[]): Buffer {
  const texts = reports.map(
    ({ pageId, receivedAt, json }) => `{"pageId":"${pageId}","receivedAt":${receivedAt},"report":${json}}`,
  );
  return deflateRawSync(`[${texts.join(',')}]`, { level: 1 });
}

/** The opposite of packReports(). */
export function unpackReports(body: Buffer): StoredPoolReport[] {
  const reports: StoredPoolReport[] = JSON.parse(inflateRawSync(body).toString('utf8')); // As packReports() wrote them.
  return reports;
}

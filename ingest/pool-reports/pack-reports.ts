import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StoredPoolReport } from '../../contract/pool-row.js';

/** Reports as they wait in PostgreSQL: JSON, deflated. */
export function packReports(reports: readonly StoredPoolReport[]): Buffer {
  return deflateRawSync(JSON.stringify(reports), { level: 1 });
}

/** The opposite of packReports(). */
export function unpackReports(body: Buffer): StoredPoolReport[] {
  const reports: StoredPoolReport[] = JSON.parse(inflateRawSync(body).toString('utf8')); // As packReports() wrote them.
  return reports;
}

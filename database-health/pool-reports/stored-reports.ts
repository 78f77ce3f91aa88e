import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PageId } from '../../lib/ids.js';
import { type CheckedPoolReport, poolKey } from './parse-pool-report.js';

/** A pool report as it is stored. */
export type StoredPoolReport = {
  pageId: PageId;
  /** When it arrived, in milliseconds since the epoch. */
  receivedAt: number;
  report: CheckedPoolReport;
};

/** Reports that are stored together. Stored again under the same id, they count once. */
export type PoolReportBlock = {
  /** A UUID. */
  id: string;
  reports: readonly StoredPoolReport[];
};

/** A report that has passed the contract, with the fields by which reports are compared. */
export type IncomingReport = StoredPoolReport & {
  /** The report as JSON, the same however it was sent. */
  json: string;
  /** SHA-256 of `json`, in hexadecimal. */
  hash: string;
  /** The four names of each of its pools, as one text. */
  pools: string[];
};

/** Prepares a report of a page for the decision whether it is new. `receivedAt` is in milliseconds since the epoch. */
export function toIncoming(pageId: PageId, report: CheckedPoolReport, receivedAt: number): IncomingReport {
  // parsePoolReport() makes the fields always in the same order, so this is as good as sorting them, and five times as
  // fast.
  const json = JSON.stringify(report);
  const hash = createHash('sha256').update(json).digest('hex');
  return { pageId, report, receivedAt, json, hash, pools: report.pools.map(poolKey) };
}

/** Packs reports as they wait in PostgreSQL: a JSON array of StoredPoolReport, deflated. */
export function packReports(reports: readonly IncomingReport[]): Buffer {
  const texts = reports.map(
    ({ pageId, receivedAt, json }) => `{"pageId":"${pageId}","receivedAt":${receivedAt},"report":${json}}`,
  );
  return deflateRawSync(`[${texts.join(',')}]`, { level: 1 });
}

/** A part of a block in PostgreSQL is not as packReports() wrote it. */
export class BrokenBlock extends Error {}

/**
 * Reverses packReports().
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

import { createHash } from 'node:crypto';
import type { PageId } from '../../lib/ids.js';
import { type CheckedPoolReport, poolKey } from './parse-pool-report.js';

/** A report that has passed the contract, with what it is compared by. */
export type IncomingReport = {
  pageId: PageId;
  report: CheckedPoolReport;
  /** When it arrived, in milliseconds since the epoch. */
  receivedAt: number;
  /** The report as JSON, the same however it was sent. */
  json: string;
  /** SHA-256 of that, in hexadecimal. */
  hash: string;
  /** The names of each of its pools. */
  pools: string[];
};

/** Prepares a report of a page for the decision whether it is new. */
export function toIncoming(pageId: PageId, report: CheckedPoolReport, receivedAt: number): IncomingReport {
  // readPoolReport() makes its fields always in the same order, so this is as good as sorting them, and five
  // times as fast.
  const json = JSON.stringify(report);
  const hash = createHash('sha256').update(json).digest('hex');
  return { pageId, report, receivedAt, json, hash, pools: report.pools.map(poolKey) };
}

import { createHash } from 'node:crypto';
import type { PageId } from '../../contract/ids.js';
import { type CheckedPoolReport, poolKey } from '../../contract/read-pool-report.js';

/** A report that has passed the contract, with what it is compared by. */
export type IncomingReport = {
  pageId: PageId;
  report: CheckedPoolReport;
  /** When it arrived, in milliseconds since the epoch. */
  receivedAt: number;
  /** SHA-256 of its one form, in hexadecimal: the same however keys were ordered and numbers spelled. */
  hash: string;
  /** A hash of the names of each of its pools. */
  pools: string[];
};

/** Enough of a hash that no two of the few pools of a session share it. */
const poolHashChars = 16;

/** Prepares a report of a page for the decision whether it is new. */
export function toIncoming(pageId: PageId, report: CheckedPoolReport, receivedAt: number): IncomingReport {
  // readPoolReport() makes its fields always in the same order, so this is as good as sorting them, and five
  // times as fast.
  const hash = createHash('sha256').update(JSON.stringify(report)).digest('hex');
  const pools = report.pools.map((pool) =>
    createHash('sha256').update(poolKey(pool)).digest('base64url').slice(0, poolHashChars),
  );
  return { pageId, report, receivedAt, hash, pools };
}

import type { PageId } from '../../lib/ids.js';
import type { CheckedPoolReport } from './parse-pool-report.js';

/** A pool report as it is stored. */
export type StoredPoolReport = {
  pageId: PageId;
  /** When it arrived, in milliseconds since the epoch. */
  receivedAt: number;
  report: CheckedPoolReport;
};

/** Reports that are stored together, or again under the same id: they then count once. */
export type PoolReportBlock = {
  /** A UUID. */
  id: string;
  reports: readonly StoredPoolReport[];
};

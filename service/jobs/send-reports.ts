import { loadReport } from '../../api/reports/load-report.js';
import { loadPageById } from '../../control/pages/index.js';
import { type DueReport, listDueReports, periodOf, queueReport } from '../../control/reports/index.js';
import type { JobDeps } from './job.js';

/**
 * Queues the reports that are due. A page whose figures cannot be read is tried again with the next run, so that a store of its own
 * that is unavailable delays nobody else's report.
 */
export async function sendReports(deps: JobDeps): Promise<void> {
  const { sql, clock, log } = deps;
  for (const due of await listDueReports(sql, clock.now())) {
    try {
      await send(deps, due);
    } catch (err) {
      log.warn({ err, pageId: due.pageId }, 'A report could not be made; the next run tries again.');
    }
  }
}

async function send(deps: JobDeps, due: DueReport): Promise<void> {
  const { sql, clickhouse, clock } = deps;
  const page = await loadPageById(sql, due.pageId);
  const pageStores = { clickhouseOf: deps.clickhouseOf };
  const asked = { every: periodOf[due.every], at: due.period.from };
  const report = await loadReport({ sql, clickhouse, clock, pageStores }, page, asked);
  await queueReport(deps, due, report);
}

import type { Context } from 'koa';
import { type Report, type ReportEvery, reportPeriods } from '../../contract/manage/reports.js';
import { loadPageById, type Page } from '../../control/pages/index.js';
import { periodBefore } from '../../control/reports/index.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { PageId } from '../../lib/ids.js';
import { createLimiter } from '../../lib/limiter.js';
import { invalidValue, parseMoment } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { hangUpSignal } from '../hang-up.js';
import { loadReport, type ReportDeps } from './load-report.js';

/** `pageStores` knows which pages have a store of their own, and what it lacks. */
export type ReadReportDeps = ReportDeps & {
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn' | 'settle'>;
};

/** A request for a report. `at` is as it was sent; the last period that is over when it is missing. */
export type Asked = { pageId: PageId; every: string | undefined; at: string | undefined };

/** Up to when the report has every event is `asOf`, in milliseconds since the epoch. */
export type ReadReport = (
  ctx: Context,
  asked: Asked,
) => Promise<{ report: Report; page: Page; asOf: number }>;

/** Reports that are loaded at once and wait, of one page. */
const readBounds = { max: 8, maxPerKey: 2, waitingMaxPerKey: 30 };

/**
 * Returns the read of reports for requests, in turns. It throws as loadReport() does, and a ServiceError `notFound` for a period
 * that there is not, `invalidParameter` for a time that there is not, and `rateLimited` when too many wait.
 */
export function createReadReport(deps: ReadReportDeps): ReadReport {
  const shared = createLimiter<PageId>(readBounds);
  // A tenant's server that hangs holds turns for 8 s. Pages that use the shared stores need turns of their own.
  const own = createLimiter<PageId>(readBounds);
  return async (ctx, { pageId, ...asked }) => {
    const every = parseEvery(asked.every);
    const now = deps.clock.now();
    const page = await loadPageById(deps.sql, pageId);
    const at =
      asked.at === undefined
        ? periodBefore(now, { every, timeZone: page.timeZone }).from
        : parseMoment('at', asked.at, now);
    if (at > now) throw invalidValue('at', 'a time that has passed', `${asked.at}`);
    const turns = deps.pageStores.isOwn(pageId) ? own : shared;
    const release = await turns.take(pageId, hangUpSignal(ctx.res));
    if (release === undefined) {
      const message = `${readBounds.maxPerKey} reports of this page are loaded and ${readBounds.waitingMaxPerKey} wait; retry later.`;
      throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
    }
    try {
      const oldestMissing = await deps.pageStores.settle(pageId);
      return { report: await loadReport(deps, page, { every, at }), page, asOf: oldestMissing ?? now };
    } finally {
      release();
    }
  };
}

function parseEvery(text: string | undefined): ReportEvery {
  const every = reportPeriods.find((known) => known === text);
  if (every !== undefined) return every;
  throw new ServiceError('notFound', { message: 'There are reports of a "week" and of a "month".' });
}

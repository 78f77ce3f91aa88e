import { readFailureRate } from '../../analytics/failure-rate.js';
import { watchFailureRates } from '../../control/alerts/index.js';
import { moveMaintenance, pruneNotifications } from '../../control/incidents/index.js';
import { watchMonitors } from '../../control/monitors/watch-monitors.js';
import { forgetUnconfirmedSubscribers } from '../../control/subscribers/index.js';
import { forgetObservations } from '../../database-health/forget-observations.js';
import { recoverBlocks } from '../../database-health/pool-reports/blocks.js';
import { pruneReports } from '../../database-health/pool-reports/prune.js';
import { pruneBatches } from '../../ingest/buffer/backlog.js';
import type { Job } from '../../sql/job.js';
import { jobs as rollupJobs } from './rollup-jobs.js';

/** Every scheduled job of the service. */
export const jobs: readonly Job[] = [
  ...rollupJobs,
  {
    name: 'move-maintenance',
    summary: 'announce maintenance that begins or ends as planned',
    schedule: '* * * * *',
    run: moveMaintenance,
  },
  {
    name: 'watch-failure-rates',
    summary: 'open and resolve incidents by the alert rules of pages',
    schedule: '* * * * *',
    run: (deps) =>
      watchFailureRates({
        ...deps,
        readFailureRate: (pageId, range) =>
          readFailureRate({ clickhouse: deps.clickhouseOf(pageId) }, pageId, range),
      }),
  },
  {
    name: 'watch-monitors',
    summary: 'open and resolve incidents of monitors that are down, on pages that want it',
    schedule: '* * * * *',
    run: watchMonitors,
  },
  {
    name: 'prune-notifications',
    summary:
      'delete deliveries, emails and announcements that ended 30 days ago, and translations out of use',
    schedule: '41 3 * * *',
    run: pruneNotifications,
  },
  {
    name: 'forget-observations',
    summary: 'forget observations of database servers, and sources of them, that are 24 hours old',
    schedule: '13 * * * *',
    async run(deps) {
      const count = await forgetObservations(deps);
      if (count > 0) deps.log.info({ count }, 'Old observations were deleted.');
    },
  },
  {
    name: 'forget-unconfirmed',
    summary: 'forget addresses that nobody confirmed within a week, and those that unsubscribed',
    schedule: '23 * * * *',
    async run(deps) {
      const count = await forgetUnconfirmedSubscribers(deps);
      if (count > 0) deps.log.info({ count }, 'Unconfirmed subscribers were forgotten.');
    },
  },
  {
    name: 'prune-batches',
    summary: "delete batches that a page's own event store has not taken for a week",
    schedule: '29 * * * *',
    run: pruneBatches,
  },
  {
    name: 'recover-pool-reports',
    summary: 'bring pool reports to ClickHouse that an instance left behind when it died',
    schedule: '* * * * *',
    run: recoverBlocks,
  },
  {
    name: 'prune-pool-reports',
    summary: 'forget which pool reports came more than an hour ago',
    schedule: '*/5 * * * *',
    run: pruneReports,
  },
];

import { deploymentLimits } from '../../contract/manage/deployments.js';
import { watchAlarms } from '../../control/alarms/index.js';
import { pruneAuditLog } from '../../control/audit/index.js';
import { pruneDeployments } from '../../control/deployments/index.js';
import { moveMaintenance, remindOfMaintenance } from '../../control/incidents/index.js';
import { planMaintenance } from '../../control/maintenance-series/index.js';
import { watchMonitors } from '../../control/monitors/index.js';
import { prunePeople } from '../../control/people/index.js';
import { forgetUnconfirmedSubscribers } from '../../control/subscribers/index.js';
import { forgetObservations } from '../../database-health/observations/observations.js';
import { recoverBlocks } from '../../database-health/pool-reports/blocks.js';
import { pruneReports } from '../../database-health/pool-reports/prune.js';
import { pruneBatchIds } from '../../ingest/batch-ids/claim-batch-ids.js';
import { pruneBatches } from '../../ingest/buffer/backlog.js';
import { pruneSeries } from '../../ingest/cumulative/series-store.js';
import { pruneNames } from '../../ingest/names/prune-names.js';
import { pruneJoins } from '../../ingest/prometheus/store-joins.js';
import { pruneRejections } from '../../ingest/rejections/prune-rejections.js';
import { pruneServiceSignals } from '../../ingest/signals/service-signals.js';
import { dayMs } from '../../lib/times.js';
import { computePoints } from '../../rollups/compute-points.js';
import { exportFigures } from './export-figures.js';
import type { Job, JobDeps } from './job.js';
import { watchQueries } from './look-at-queries.js';
import { pruneNotifications } from './prune-notifications.js';
import { removePages } from './remove-pages.js';
import { sendReports } from './send-reports.js';
import { lookAtRules, watchRulesJob } from './watch-rules.js';

/** Every scheduled job of the service. */
export const jobs: readonly Job[] = [
  {
    name: 'prune-names',
    summary: 'delete endpoints and services without requests in the retention, on pages near a limit',
    schedule: '17 * * * *',
    run: pruneNames,
  },
  {
    name: 'compute-points',
    summary: 'compute uptime and response times from new checks',
    schedule: '* * * * *',
    run: computePoints,
  },
  {
    name: 'move-maintenance',
    summary: 'announce maintenance that begins or ends as planned',
    schedule: '* * * * *',
    run: (deps) => announcing(deps, moveMaintenance(deps)),
  },
  {
    name: 'remind-of-maintenance',
    summary: 'remind the subscribers who want that a day and an hour before maintenance',
    schedule: '* * * * *',
    run: (deps) => announcing(deps, remindOfMaintenance(deps)),
  },
  {
    name: 'plan-maintenance',
    summary: 'publish the next occurrences of maintenance series',
    schedule: '* * * * *',
    run: (deps) => announcing(deps, planMaintenance(deps)),
  },
  {
    name: watchRulesJob,
    summary: 'look at the rules of pages, and tell of the alerts that begin and end',
    // Minutes are over for 15 s.
    schedule: '15,45 * * * * *',
    everySeconds: 30,
    run: (deps) => announcing(deps, lookAtRules(deps)),
  },
  {
    name: 'watch-queries',
    summary: 'look at the rules of pages that run a saved query',
    // Minutes are over for 15 s; what it finds is told at 45.
    schedule: '20 * * * * *',
    run: watchQueries,
  },
  {
    name: 'watch-monitors',
    summary: 'open and resolve incidents for monitors that go down, on pages that have this turned on',
    schedule: '* * * * *',
    run: (deps) => announcing(deps, watchMonitors(deps)),
  },
  {
    name: 'watch-alarms',
    summary: 'tell the channels of pages about emails and deliveries that are behind',
    schedule: '* * * * *',
    run: (deps) => announcing(deps, watchAlarms(deps)),
  },
  {
    name: 'send-reports',
    summary: 'send the reports of weeks and months, at 8:00 by the clock of each page',
    schedule: '* * * * *',
    run: (deps) => announcing(deps, sendReports(deps)),
  },
  {
    name: 'prune-notifications',
    summary:
      'delete deliveries, emails and announcements that ended 30 days ago, alerts of 400 days ago, unused translations, and keys of requests',
    schedule: '41 3 * * *',
    run: pruneNotifications,
  },
  {
    name: 'prune-people',
    summary: 'delete sessions, links and counts of failed sign-ins that have ended',
    schedule: '47 3 * * *',
    async run(deps) {
      const { sessions, attempts, links } = await prunePeople(deps);
      deps.log.info({ sessions, attempts, links }, 'Ended sessions and links were deleted.');
    },
  },
  {
    name: 'forget-observations',
    summary: 'delete observations of database servers, and their sources, that are 24 hours old',
    schedule: '13 * * * *',
    async run(deps) {
      const count = await forgetObservations(deps);
      if (count > 0) deps.log.info({ count }, 'Old observations were deleted.');
    },
  },
  {
    name: 'forget-unconfirmed',
    summary: 'delete addresses that were not confirmed within a week, and those that unsubscribed',
    schedule: '23 * * * *',
    async run(deps) {
      const count = await forgetUnconfirmedSubscribers(deps);
      if (count > 0) deps.log.info({ count }, 'Unconfirmed subscribers were deleted.');
    },
  },
  {
    name: 'prune-service-signals',
    summary: 'forget whether spans or metrics count for services that have sent neither for a day',
    schedule: '37 * * * *',
    run: pruneServiceSignals,
  },
  {
    name: 'prune-batches',
    summary: 'delete batches that the event store of a page has not accepted for a week',
    schedule: '29 * * * *',
    run: pruneBatches,
  },
  {
    name: 'prune-batch-ids',
    summary: 'delete the ids of batches that no batch is compared with any more',
    schedule: '*/5 * * * *',
    run: pruneBatchIds,
  },
  {
    name: 'prune-remote-write-joins',
    summary: 'delete the points of histograms of Prometheus that have had none for a day',
    schedule: '11 * * * *',
    run: pruneJoins,
  },
  {
    name: 'prune-series',
    summary: 'delete the last points of cumulative series that have had none for an hour',
    schedule: '*/5 * * * *',
    run: pruneSeries,
  },
  {
    name: 'prune-rejections',
    summary: 'delete the counts of rejected events that are 14 days old',
    schedule: '37 * * * *',
    run: pruneRejections,
  },
  {
    name: 'recover-pool-reports',
    summary: 'send the pool reports that an instance left when it crashed to ClickHouse',
    schedule: '* * * * *',
    run: recoverBlocks,
  },
  {
    name: 'prune-pool-reports',
    summary: 'delete the record of pool reports received more than an hour ago',
    schedule: '*/5 * * * *',
    run: pruneReports,
  },
  {
    name: 'prune-deployments',
    summary: 'delete deployments that are 400 days old',
    schedule: '47 3 * * *',
    async run({ sql, clock, log }) {
      const before = new Date(clock.now() - deploymentLimits.days * dayMs);
      const count = await pruneDeployments(sql, before);
      if (count > 0) log.info({ count }, 'Old deployments were deleted.');
    },
  },
  {
    name: 'remove-pages',
    summary: 'remove the rows of deleted pages',
    schedule: '* * * * *',
    run: removePages,
  },
  {
    name: 'prune-audit',
    summary: 'delete rows of the audit log that are 400 days old',
    schedule: '53 3 * * *',
    run: pruneAuditLog,
  },
  {
    name: 'export-figures',
    summary: 'put the hours that are over into the buckets of pages',
    schedule: '* * * * *',
    run: exportFigures,
  },
];

/** A run that fails may have announced some changes before. */
async function announcing({ onAnnounced }: JobDeps, run: Promise<void>): Promise<void> {
  try {
    await run;
  } finally {
    onAnnounced?.();
  }
}

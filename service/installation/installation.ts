import type { ManageRoutesDeps } from '../../api/routes/manage/deps.js';
import { sendTestMail } from '../../control/subscribers/index.js';
import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { prepareEventStore } from '../../sql/prepare-event-store.js';
import type { Backlogs } from '../backlogs.js';
import type { JobDeps } from '../jobs/job.js';
import { jobs } from '../jobs/jobs.js';
import type { Closers } from '../options.js';
import { readVersion } from '../version.js';
import { announceInstance } from './instances.js';
import { loadInstallation } from './load-installation.js';
import { createJobRuns } from './run-jobs.js';

/** Announces this process, and returns the reads and the actions of the management API on the installation. */
export async function startInstallation(
  {
    jobDeps,
    roles,
    loadBacklogs,
    smtpUrl,
  }: {
    jobDeps: JobDeps;
    roles: ReadonlySet<string>;
    loadBacklogs(): Promise<Backlogs>;
    smtpUrl: string | undefined;
  },
  closers: Closers,
): Promise<ManageRoutesDeps['installation']> {
  const { sql, clickhouse, clock } = jobDeps;
  const version = await readVersion();
  const announced = announceInstance({ sql, clock, version, roles });
  const runs = createJobRuns(jobs, jobDeps);
  closers.push(async () => {
    await runs.stop();
    await announced.stop();
  });
  return {
    load: () => loadInstallation({ sql, clickhouse, clock, version, jobs, loadBacklogs }),
    runJob: runs.run,
    sendTestMail: (input, by) => sendTestMail({ sql, clock, by, smtpUrl }, input),
  };
}

/** A request waits for it. The command line gives a slow server more time. */
const timeoutMs = 20_000;

/** Returns how requests prepare the ClickHouse of a page's owner. */
export function createEventStorePreparation({
  allowPrivateAddresses,
  log,
}: {
  allowPrivateAddresses: PrivateAddresses;
  log: Log;
}): ManageRoutesDeps['prepareEventStore'] {
  const outbound = createOutbound({ allowPrivateAddresses });
  return (address) => prepareEventStore(address, { outbound, log, timeoutMs });
}

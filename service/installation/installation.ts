import type { ManageRoutesDeps } from '../../api/routes/manage/deps.js';
import { sendTestMail } from '../../control/subscribers/index.js';
import type { Backlogs } from '../backlogs.js';
import type { JobDeps } from '../jobs/job.js';
import { jobs } from '../jobs/jobs.js';
import type { Closers } from '../options.js';
import { readVersion } from '../version.js';
import { announceInstance } from './instances.js';
import { loadInstallation } from './load-installation.js';
import { createJobRuns } from './run-jobs.js';

/** Announces this process, and returns what the management API shows of the installation. */
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

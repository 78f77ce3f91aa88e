import { pruneNames } from '../../ingest/names/prune-names.js';
import { computePoints } from '../../rollups/compute-points.js';
import type { Job } from '../../sql/job.js';

/** The scheduled jobs that keep the rollups in shape; service/jobs/jobs.ts has those of the whole service. */
export const jobs: readonly Job[] = [
  {
    name: 'prune-names',
    summary: 'forget endpoints and services without requests in the retention, on pages that near a limit',
    schedule: '17 * * * *',
    run: pruneNames,
  },
  {
    name: 'compute-points',
    summary: 'compute uptime and response times from the checks that came in',
    schedule: '* * * * *',
    run: computePoints,
  },
];

import type { Job } from './job.js';
import { pruneNames } from './prune-names.js';

/** Every scheduled job of the service. */
export const jobs: readonly Job[] = [
  {
    name: 'prune-names',
    summary: 'forget endpoints and services without requests in the retention, on pages that near a limit',
    schedule: '17 * * * *',
    run: pruneNames,
  },
];

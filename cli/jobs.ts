import type { Job } from '../service/jobs/job.js';
import { runLeased } from '../service/jobs/lease.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';
import { mayPagesBePrivate } from './may-be-private.js';
import { openPageReaders } from './open-page-readers.js';

export const jobsCommands = [
  defineCommand({
    name: 'jobs run',
    summary: 'run a scheduled job now',
    help: 'Runs one job now, whether or not it is due. NAME is as in: heartline jobs list',
    arguments: { name: 'NAME' },
    json: '{"job": NAME}',
    async run(context, { name }) {
      const job = (await loadJobs()).find((known) => known.name === name);
      if (job === undefined) throw new Error(`There is no job "${name}"; see: heartline jobs list`);
      const stores = await context.openStores();
      const { clickhouseCluster } = context.config;
      const allowPrivateAddresses = await mayPagesBePrivate(context.config, stores.sql);
      const cluster =
        clickhouseCluster === undefined ? undefined : { name: clickhouseCluster, url: stores.clickhouseUrl };
      const pages = await openPageReaders({ ...stores, allowPrivateAddresses });
      const { clickhouseOf } = pages;
      const deps = { ...stores, cluster, clickhouseOf };
      const ran = await runLeased(job, deps, stores.clock.now(), stores.by);
      await pages.close();
      if (!ran) throw new Error(`${name} is running on another instance right now.`);
      return { json: { job: name }, text: `${name} has run.\n` };
    },
  }),

  defineCommand({
    name: 'jobs list',
    summary: 'list the scheduled jobs',
    help: 'Lists the jobs that the service runs on a schedule.',
    json: '{"jobs": [...]}',
    async run() {
      const listed = (await loadJobs()).map(({ name, summary, schedule }) => ({ name, summary, schedule }));
      const rows = listed.map(({ name, schedule, summary }) => [name, schedule, summary]);
      return {
        json: { jobs: listed },
        text: formatTable(['NAME', 'SCHEDULE (UTC)', 'WHAT IT DOES'], rows),
      };
    },
  }),
];

/** Loading what the jobs work with takes longer than a command. */
async function loadJobs(): Promise<readonly Job[]> {
  const { jobs } = await import('../service/jobs/jobs.js');
  return jobs;
}

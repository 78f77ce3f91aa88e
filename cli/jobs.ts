import { jobs } from '../service/jobs/jobs.js';
import { runLeased } from '../service/jobs/lease.js';
import type { Command } from './command.js';
import { openPageClients } from './open-page-clients.js';
import { formatTable } from './output.js';
import { parseOptions } from './parse-options.js';

export const jobsList: Command = {
  name: 'jobs list',
  summary: 'list the scheduled jobs',
  help: `heartline jobs list [--json]

Lists the jobs that the service runs on a schedule.

  --json  print one JSON object, {"jobs": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { json: { type: 'boolean' } }, []);
    const listed = jobs.map(({ name, summary, schedule }) => ({ name, summary, schedule }));
    if (values.json) return context.print({ jobs: listed });
    context.print(
      formatTable(
        ['NAME', 'SCHEDULE (UTC)', 'WHAT IT DOES'],
        listed.map(({ name, schedule, summary }) => [name, schedule, summary]),
      ),
    );
  },
};

export const jobsRun: Command = {
  name: 'jobs run',
  summary: 'run a scheduled job now',
  help: `heartline jobs run NAME [--json]

Runs one job now, whether or not it is due. NAME is as in: heartline jobs list

  --json  print one JSON object, {"job": NAME}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['NAME']);
    const [name = ''] = positionals;
    const job = jobs.find((known) => known.name === name);
    if (job === undefined) throw new Error(`There is no job "${name}"; see: heartline jobs list`);
    const stores = await context.openStores();
    const { clock, log } = context;
    const pages = await openPageClients({ ...stores, log, ...context.config });
    const { clickhouseOf } = pages;
    const ran = await runLeased(job, { ...stores, clickhouseOf, clock, log }, clock.now());
    await pages.close();
    if (!ran) throw new Error(`${name} is running on another instance right now.`);
    context.print(values.json ? { job: name } : `${name} has run.\n`);
  },
};

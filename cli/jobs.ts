import type { Command } from './command.js';
import type { CommandContext } from './context.js';
import { formatTable } from './output.js';
import { parseOptions } from './parse-options.js';

/** Work that the service does on a schedule, as one run of it. */
export type Job = { name: string; summary: string; run(context: CommandContext): Promise<void> };

/** Every scheduled job of the service, by name. */
const jobs: readonly Job[] = [];

export const jobsList: Command = {
  name: 'jobs list',
  summary: 'list the scheduled jobs',
  help: `heartline jobs list [--json]

Lists the jobs that the service runs on a schedule.

  --json  print one JSON object, {"jobs": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { json: { type: 'boolean' } }, []);
    const listed = jobs.map(({ name, summary }) => ({ name, summary }));
    if (values.json) return context.print({ jobs: listed });
    if (listed.length === 0) return context.print('This version has no scheduled jobs.\n');
    context.print(
      formatTable(
        ['NAME', 'WHAT IT DOES'],
        listed.map(({ name, summary }) => [name, summary]),
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
    await job.run(context);
    context.print(values.json ? { job: name } : `${name} has run.\n`);
  },
};

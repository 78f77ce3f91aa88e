import { deleteMonitor } from '../control/monitors/delete-monitor.js';
import type { Command } from './command.js';
import { readRef, refArguments, refOptions } from './monitor-options.js';
import { monitorJson } from './monitor-view.js';
import { parseOptions } from './parse-options.js';

export const monitorDelete: Command = {
  name: 'monitor delete',
  summary: 'delete a monitor',
  help: `heartline monitor delete ID|--page SLUG --slug SLUG [--json]

Deletes a monitor for good, and takes it out of incidents.

  --page SLUG  the page
  --slug SLUG  the monitor
  --json       print one JSON object
`,
  async run(context, argv) {
    const options = { ...refOptions, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions(argv, options, refArguments(argv));
    const ref = readRef(values, positionals);
    const sql = await context.openSql();
    const monitor = await deleteMonitor({ sql }, ref);
    context.print(values.json ? monitorJson(monitor) : `${monitor.slug} is deleted.\n`);
  },
};

import { findMonitor } from '../control/monitors/find-monitor.js';
import type { Command } from './command.js';
import { readRef, refArguments, refOptions } from './monitor-options.js';
import { monitorJson, monitorText } from './monitor-view.js';
import { parseOptions } from './parse-options.js';

export const monitorShow: Command = {
  name: 'monitor show',
  summary: 'show one monitor',
  help: `heartline monitor show ID|--page SLUG --slug SLUG [--json]

Shows the settings of a monitor and what came of its last check. What its requests send is not shown.

  --page SLUG  the page
  --slug SLUG  the monitor
  --json       print one JSON object
`,
  async run(context, argv) {
    const options = { ...refOptions, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions(argv, options, refArguments(argv));
    const ref = readRef(values, positionals);
    const sql = await context.openSql();
    const monitor = await findMonitor({ sql }, ref);
    context.print(values.json ? monitorJson(monitor) : monitorText(monitor));
  },
};

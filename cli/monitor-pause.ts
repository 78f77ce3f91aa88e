import { pauseMonitor } from '../control/monitors/pause-monitor.js';
import type { Command } from './command.js';
import { readRef, refArguments, refOptions } from './monitor-options.js';
import { monitorJson } from './monitor-view.js';
import { parseOptions } from './parse-options.js';

export const monitorPause: Command = {
  name: 'monitor pause',
  summary: 'stop the checks of a monitor',
  help: `heartline monitor pause ID|--page SLUG --slug SLUG [--json]

Stops its checks; the time until it is resumed counts as not observed.

  --page SLUG  the page
  --slug SLUG  the monitor
  --json       print one JSON object
`,
  async run(context, argv) {
    const options = { ...refOptions, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions(argv, options, refArguments(argv));
    const ref = readRef(values, positionals);
    const sql = await context.openSql();
    const monitor = await pauseMonitor({ sql, clock: context.clock }, ref);
    context.print(values.json ? monitorJson(monitor) : `${monitor.slug} is paused.\n`);
  },
};

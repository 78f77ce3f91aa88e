import { resumeMonitor } from '../control/monitors/resume-monitor.js';
import type { Command } from './command.js';
import { readRef, refArguments, refOptions } from './monitor-options.js';
import { monitorJson } from './monitor-view.js';
import { parseOptions } from './parse-options.js';

export const monitorResume: Command = {
  name: 'monitor resume',
  summary: 'let the checks of a paused monitor go on',
  help: `heartline monitor resume ID|--page SLUG --slug SLUG [--json]

Lets its checks go on, the first within a minute.

  --page SLUG  the page
  --slug SLUG  the monitor
  --json       print one JSON object
`,
  async run(context, argv) {
    const options = { ...refOptions, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions(argv, options, refArguments(argv));
    const ref = readRef(values, positionals);
    const sql = await context.openSql();
    const monitor = await resumeMonitor({ sql, clock: context.clock }, ref);
    context.print(values.json ? monitorJson(monitor) : `${monitor.slug} is no longer paused.\n`);
  },
};

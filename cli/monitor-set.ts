import { setMonitor } from '../control/monitors/set-monitor.js';
import type { Command } from './command.js';
import {
  readRef,
  readSettings,
  refArguments,
  refOptions,
  settingHelp,
  settingOptions,
} from './monitor-options.js';
import { monitorJson, monitorText } from './monitor-view.js';
import { parseOptions } from './parse-options.js';
import { UsageError } from './usage-error.js';

export const monitorSet: Command = {
  name: 'monitor set',
  summary: 'change a monitor',
  help: `heartline monitor set ID|--page SLUG --slug SLUG [options]

Changes what is named and leaves the rest as it is. All headers are replaced by those that are given. An empty body,
expected body or name in a language takes it away, as 0 does with --tls-expiry-days.

  --page SLUG              the page
  --slug SLUG              the monitor
  --name NAME              in the default language of the page
  --no-headers             send none along
${settingHelp}`,
  async run(context, argv) {
    const options = {
      ...refOptions,
      ...settingOptions,
      'no-headers': { type: 'boolean' },
      json: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseOptions(argv, options, refArguments(argv));
    const ref = readRef(values, positionals);
    if (values['no-headers'] && values.header !== undefined) {
      throw new UsageError('--no-headers and --header exclude each other.');
    }
    const settings = { ...readSettings(values), ...(values['no-headers'] && { headers: [] }) };
    if (Object.keys(settings).length === 0) throw new UsageError('There is nothing to change.');
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const monitor = await setMonitor({ sql, secretKey, clock: context.clock }, ref, settings);
    context.print(values.json ? monitorJson(monitor) : monitorText(monitor));
  },
};

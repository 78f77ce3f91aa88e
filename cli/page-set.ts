import { type Capability, capabilities } from '../contract/scopes.js';
import { setPage } from '../control/set-page.js';
import type { Command } from './command.js';
import { pageJson, pageText } from './page-view.js';
import { oneOf, onOff, parseOptions, wholeNumber } from './parse-options.js';
import { UsageError } from './usage-error.js';

export const pageSet: Command = {
  name: 'page set',
  summary: 'change a status page',
  help: `heartline page set SLUG [options]

Changes what is named and leaves the rest as it is.

  --database-health on|off    take and show database health of this page
  --monitoring-paused on|off  stop the checks of this page, or go on
  --incidents-from-monitors on|off
                              open an incident when a monitor goes down
  --history-days N            days of uptime that the page shows, 7 to 90
  --capability NAME=on|off    what the account of the page may do, for all its pages;
                              NAME is ${capabilities.join(', ')}; may be repeated
  --json                      print one JSON object
`,
  async run(context, argv) {
    const options = {
      'database-health': { type: 'string' },
      'monitoring-paused': { type: 'string' },
      'incidents-from-monitors': { type: 'string' },
      'history-days': { type: 'string' },
      capability: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseOptions(argv, options, ['SLUG']);
    const [slug = ''] = positionals;
    const databaseHealth = values['database-health'];
    const monitoringPaused = values['monitoring-paused'];
    const fromMonitors = values['incidents-from-monitors'];
    const historyDays = values['history-days'];
    const changes = {
      ...(databaseHealth !== undefined && {
        databaseHealthEnabled: onOff(databaseHealth, '--database-health'),
      }),
      ...(monitoringPaused !== undefined && {
        monitoringPaused: onOff(monitoringPaused, '--monitoring-paused'),
      }),
      ...(fromMonitors !== undefined && {
        incidentsFromMonitors: onOff(fromMonitors, '--incidents-from-monitors'),
      }),
      ...(historyDays !== undefined && { historyDays: wholeNumber(historyDays, '--history-days') }),
      ...(values.capability !== undefined && { capabilities: readCapabilities(values.capability) }),
    };
    if (Object.keys(changes).length === 0) throw new UsageError('There is nothing to change.');
    const sql = await context.openSql();
    const page = await setPage({ sql, clock: context.clock }, { slug, ...changes });
    context.print(values.json ? pageJson(page) : pageText(page));
  },
};

function readCapabilities(settings: string[]): Partial<Record<Capability, boolean>> {
  const entries = settings.map((setting) => {
    const [name = '', state = ''] = setting.split('=', 2);
    return [oneOf(name, capabilities, '--capability'), onOff(state, `--capability ${name}`)] as const;
  });
  return Object.fromEntries(entries);
}

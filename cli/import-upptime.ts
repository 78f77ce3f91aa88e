import { importUpptime } from '../control/monitors/import-upptime.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { parseOptions, required } from './parse-options.js';

export const importUpptimeCommand: Command = {
  name: 'import upptime',
  summary: 'bring the sites and the uptime of an Upptime repository',
  help: `heartline import upptime --page SLUG FOLDER [--json]

FOLDER is a clone of an Upptime repository, or the history folder in it. Sites that the page does not have become monitors, checked
every minute from then on. The uptime of each day is imported from the day on which Upptime first checked the site, as
far back as days are kept; a day with checks of Heartline's own stays as it is. Running it again changes nothing but
today.

  --page SLUG  the page
  --json       print one JSON object, {"sites": [...]}
`,
  async run(context, argv) {
    const options = { page: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions(argv, options, ['FOLDER']);
    const [folder = ''] = positionals;
    const pageSlug = required(values.page, '--page');
    const { sql, clickhouse, secretKey } = await context.openStores();
    if (secretKey === undefined) {
      throw new Error('HEARTLINE_SECRET_KEY must be set to the one that the service has.');
    }
    const sites = await importUpptime(
      { sql, clickhouse, secretKey, clock: context.clock },
      { pageSlug, folder },
    );
    if (values.json) return context.print({ sites });
    context.print(
      formatTable(
        ['SLUG', 'MONITOR', 'DAYS', 'NOTE'],
        sites.map(({ slug, monitor, days, note = '' }) => [slug, monitor, String(days), note]),
      ),
    );
  },
};

import { listMonitors } from '../control/monitors/list-monitors.js';
import type { Command } from './command.js';
import { monitorJson, stateOf } from './monitor-view.js';
import { formatTable } from './output.js';
import { parseOptions, required } from './parse-options.js';

export const monitorList: Command = {
  name: 'monitor list',
  summary: 'list the monitors of a page',
  help: `heartline monitor list --page SLUG [--json]

Lists the monitors of a page in its order.

  --page SLUG  the page
  --json       print one JSON object, {"monitors": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const monitors = await listMonitors({ sql }, { slug });
    if (values.json) return context.print({ monitors: monitors.map(monitorJson) });
    if (monitors.length === 0)
      return context.print(`${slug} has no monitor yet; make one with: heartline monitor create\n`);
    const rows = monitors.map((monitor) => [
      monitor.slug,
      monitor.kind,
      stateOf(monitor),
      monitor.lastCheckedAt?.toISOString() ?? 'never',
      'url' in monitor ? monitor.url : '',
      monitor.id,
    ]);
    context.print(formatTable(['SLUG', 'TYPE', 'STATE', 'LAST CHECKED', 'URL', 'ID'], rows));
  },
};

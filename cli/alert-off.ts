import { removeAlertRule } from '../control/alerts/index.js';
import { loadPageId } from '../control/pages/index.js';
import { alertJson } from './alert-view.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const alertOff: Command = {
  name: 'alert off',
  summary: 'put the alert rule of a page off',
  help: `heartline alert off --page SLUG [--json]

Forgets the rule. An incident that it has opened stays open until somebody resolves it.

  --page SLUG  the page
  --json       print one JSON object, as of: heartline alert show
`,
  async run(context, argv) {
    const options = { page: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const removed = await removeAlertRule({ sql }, await loadPageId(sql, slug));
    if (values.json) return context.print(alertJson(slug, undefined));
    context.print(removed ? 'The alert rule is off.\n' : 'The page had no alert rule.\n');
  },
};

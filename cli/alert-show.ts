import { findAlertRule } from '../control/alerts/index.js';
import { loadPageId } from '../control/pages/index.js';
import { alertJson, alertText } from './alert-view.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const alertShow: Command = {
  name: 'alert show',
  summary: 'show the alert rule of a page',
  help: `heartline alert show --page SLUG [--json]

  --page SLUG  the page
  --json       print one JSON object, {"page": SLUG, "alert": null} when it is off
`,
  async run(context, argv) {
    const options = { page: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const rule = await findAlertRule({ sql }, await loadPageId(sql, slug));
    context.print(values.json ? alertJson(slug, rule) : alertText(slug, rule));
  },
};

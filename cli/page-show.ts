import { loadPage } from '../control/pages/index.js';
import type { Command } from './command.js';
import { pageJson, pageText } from './page-view.js';
import { parseOptions } from './parse-options.js';

export const pageShow: Command = {
  name: 'page show',
  summary: 'show one status page',
  help: `heartline page show SLUG [--json]

Shows the settings of a status page.

  --json  print one JSON object
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['SLUG']);
    const [slug = ''] = positionals;
    const sql = await context.openSql();
    const page = await loadPage(sql, slug);
    context.print(values.json ? pageJson(page) : pageText(page));
  },
};

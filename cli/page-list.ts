import { listPages } from '../control/pages/list-pages.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { pageJson } from './page-view.js';
import { parseOptions } from './parse-options.js';

export const pageList: Command = {
  name: 'page list',
  summary: 'list the status pages',
  help: `heartline page list [--json]

Lists all status pages by slug.

  --json  print one JSON object, {"pages": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { json: { type: 'boolean' } }, []);
    const sql = await context.openSql();
    const pages = await listPages({ sql });
    if (values.json) return context.print({ pages: pages.map(pageJson) });
    if (pages.length === 0)
      return context.print('There is no page yet; make one with: heartline page create\n');
    const rows = pages.map((page) => [page.slug, page.hostname, page.name, page.languages.join(',')]);
    context.print(formatTable(['SLUG', 'HOSTNAME', 'NAME', 'LANGUAGES'], rows));
  },
};

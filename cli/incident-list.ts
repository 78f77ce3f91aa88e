import { listIncidents } from '../control/incidents/index.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { parseOptions, required, wholeNumber } from './parse-options.js';

const limitUsual = '50';

export const incidentList: Command = {
  name: 'incident list',
  summary: 'list the incidents and maintenance of a page',
  help: `heartline incident list --page SLUG [--open] [--limit N] [--json]

Lists incidents and maintenance, the latest start first.

  --page SLUG  the page
  --open       only those without an end
  --limit N    at most this many; ${limitUsual} when left out
  --json       print one JSON object, {"incidents": [...]}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      open: { type: 'boolean', default: false },
      limit: { type: 'string', default: limitUsual },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const limit = wholeNumber(values.limit, '--limit');
    const sql = await context.openSql();
    const incidents = await listIncidents({ sql }, { slug, open: values.open, limit });
    if (values.json) return context.print({ incidents });
    const rows = incidents.map(({ id, type, startedAt, resolvedAt, title }) => [
      id,
      type,
      startedAt,
      resolvedAt ?? 'open',
      title,
    ]);
    context.print(formatTable(['ID', 'TYPE', 'STARTED', 'RESOLVED', 'TITLE'], rows));
  },
};

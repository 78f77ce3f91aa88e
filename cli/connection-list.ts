import { listConnections } from '../control/connections/index.js';
import { loadPageId } from '../control/pages/index.js';
import type { Command } from './command.js';
import { connectionJson } from './connection-view.js';
import { formatTable } from './output.js';
import { parseOptions, required } from './parse-options.js';

export const connectionList: Command = {
  name: 'connection list',
  summary: 'list the database connections of a page',
  help: `heartline connection list --page SLUG [--json]

Lists the database connections of a page, oldest first.

  --page SLUG  the page
  --json       print one JSON object, {"connections": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const connections = await listConnections({ sql }, await loadPageId(sql, slug));
    if (values.json) return context.print({ connections: connections.map(connectionJson) });
    if (connections.length === 0)
      return context.print(`${slug} has no connection yet; make one with: heartline connection create\n`);
    const rows = connections.map(({ id, engine, name, createdAt }) => [
      id,
      engine,
      createdAt.toISOString(),
      name,
    ]);
    context.print(formatTable(['ID', 'ENGINE', 'CREATED', 'NAME'], rows));
  },
};

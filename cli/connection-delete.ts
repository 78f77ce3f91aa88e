import { deleteConnection } from '../control/connections/index.js';
import type { Command } from './command.js';
import { connectionJson } from './connection-view.js';
import { parseOptions } from './parse-options.js';

export const connectionDelete: Command = {
  name: 'connection delete',
  summary: 'delete a database connection',
  help: `heartline connection delete ID [--json]

Deletes a connection. What was observed of it stays as long as it would have; an observation that names it from now on
is refused. ID is as in: heartline connection list

  --json  print one JSON object
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['ID']);
    const [id = ''] = positionals;
    const sql = await context.openSql();
    const connection = await deleteConnection({ sql }, { id });
    context.print(values.json ? connectionJson(connection) : `${connection.name} is deleted.\n`);
  },
};

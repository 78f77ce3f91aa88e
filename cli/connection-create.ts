import { engines } from '../contract/observations.js';
import { createConnection } from '../control/connections/index.js';
import { loadPageId } from '../control/pages/index.js';
import type { Command } from './command.js';
import { connectionJson } from './connection-view.js';
import { oneOf, parseOptions, required } from './parse-options.js';

export const connectionCreate: Command = {
  name: 'connection create',
  summary: 'name a database connection that observations can be reported of',
  help: `heartline connection create --page SLUG --engine ${engines.join('|')} --name NAME [--json]

Makes a connection and prints its id, which observations give as connectionId. How to connect is not stored.

  --page SLUG      the page
  --engine ENGINE  which engine it leads to; observations of another one are refused
  --name NAME      what people call it: letters, digits, spaces and - _ . , : / # + ( ) ~ |, nothing like a secret
  --json           print one JSON object
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      engine: { type: 'string' },
      name: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const input = {
      engine: oneOf(required(values.engine, '--engine'), engines, '--engine'),
      name: required(values.name, '--name'),
    };
    const sql = await context.openSql();
    const pageId = await loadPageId(sql, slug);
    const connection = await createConnection({ sql, clock: context.clock }, { pageId, ...input });
    context.print(values.json ? connectionJson(connection) : `${connection.id}\n`);
  },
};

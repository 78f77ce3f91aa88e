import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { checkDatabaseName, parseStoreUrl, setEventStore } from '../control/event-stores/index.js';
import { loadPageId } from '../control/pages/index.js';
import { createFilteringAgents } from '../lib/outbound/filtering-agents.js';
import { prepareEventStore } from '../sql/prepare-event-store.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

const options = {
  page: { type: 'string' },
  url: { type: 'string' },
  user: { type: 'string' },
  database: { type: 'string', default: 'heartline' },
  'password-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const storeSet: Command = {
  name: 'store set',
  summary: "keep a page's events in a ClickHouse of its own",
  help: `heartline store set --page SLUG --url URL --user USER --password-file FILE [--database NAME] [--json]

Connects to the ClickHouse, makes the database and the tables, and from then on sends the events of the page there
and reads its analytics from there. Events that were counted before stay where they are. Nothing changes when the
ClickHouse cannot be used.

  --page SLUG           the page
  --url URL             http:// or https://, with the port
  --user USER           a user who may create tables in the database, and insert and select
  --password-file FILE  the file with the password; - for standard input
  --database NAME       heartline when not given
  --json                print one JSON object, {"version"}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const url = parseStoreUrl(required(values.url, '--url'));
    const username = required(values.user, '--user');
    checkDatabaseName(values.database);
    const password = await readPassword(required(values['password-file'], '--password-file'));
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const pageId = await loadPageId(sql, slug);
    const address = { url, database: values.database, username, password };
    const agents = createFilteringAgents(context.config);
    const agent = url.startsWith('https:') ? agents.https : agents.http;
    const { version } = await prepareEventStore(address, { agent, log: context.log });
    await setEventStore({ sql, clock: context.clock, secretKey }, { pageId, ...address });
    if (values.json) return context.print({ version });
    context.print(`The events of ${slug} now go to ClickHouse ${version} at ${url}.\n`);
  },
};

async function readPassword(file: string): Promise<string> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  return content.replace(/\r?\n$/, '');
}

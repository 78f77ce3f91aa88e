import { scopes } from '../contract/scopes.js';
import { createKey } from '../control/keys/index.js';
import { loadPageId } from '../control/pages/index.js';
import type { Command } from './command.js';
import { oneOf, parseOptions, required } from './parse-options.js';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'make an API key of a page',
  help: `heartline key create --page SLUG --scope ${scopes.join('|')} [--json]

Makes a key and prints it. This is the only time that the key is shown; only its hash is stored.

  --page SLUG    the page that the key belongs to
  --scope SCOPE  incident: write incidents; ingest: send events and measurements;
                 read: read the private analytics
  --json         print one JSON object, {"id", "scope", "key"}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      scope: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const scope = oneOf(required(values.scope, '--scope'), scopes, '--scope');
    const sql = await context.openSql();
    const pageId = await loadPageId(sql, slug);
    const created = await createKey({ sql, clock: context.clock }, { pageId, scope });
    if (values.json) return context.print(created);
    context.print(
      `${created.key}\n\nThis is the ${scope} key ${created.id} of ${slug}. It is not shown again.\n`,
    );
  },
};

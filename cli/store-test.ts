import { eventStoreContext, findEventStore, loadStorePassword } from '../control/event-stores/index.js';
import { loadPageId } from '../control/pages/index.js';
import { createFilteringAgents } from '../lib/outbound/filtering-agents.js';
import { openSecret } from '../lib/secret-box.js';
import { ServiceError } from '../lib/service-error.js';
import { prepareEventStore } from '../sql/prepare-event-store.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const storeTest: Command = {
  name: 'store test',
  summary: "check that a page's own ClickHouse can be used",
  help: `heartline store test --page SLUG [--json]

Connects to the ClickHouse of the page, looks at its version and at what its user may do, and makes the tables that
are missing.

  --page SLUG  the page
  --json       print one JSON object, {"version"}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const slug = required(values.page, '--page');
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const pageId = await loadPageId(sql, slug);
    const store = await findEventStore({ sql }, pageId);
    if (store === undefined) {
      throw new ServiceError('conflict', {
        message: `${slug} has no store of its own; give it one with: heartline store set`,
      });
    }
    const sealed = await loadStorePassword({ sql }, pageId);
    const password = openSecret(secretKey, eventStoreContext(pageId), sealed);
    const agents = createFilteringAgents(context.config);
    const agent = store.url.startsWith('https:') ? agents.https : agents.http;
    const { version } = await prepareEventStore({ ...store, password }, { agent, log: context.log });
    context.print(
      values.json ? { version } : `ClickHouse ${version} at ${store.url} can be written and read.\n`,
    );
  },
};

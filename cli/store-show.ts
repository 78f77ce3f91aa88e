import { findEventStore } from '../control/event-stores/index.js';
import { loadPageId } from '../control/pages/index.js';
import { loadBacklog } from '../ingest/buffer/backlog.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';
import { storeJson, storeText } from './store-view.js';

export const storeShow: Command = {
  name: 'store show',
  summary: 'show where events go, and what waits to be delivered there',
  help: `heartline store show [--page SLUG] [--json]

Shows the event store of a page and its delivery buffer; of the installation's own store without --page.

  --page SLUG  the page
  --json       print one JSON object, {"store", "buffer"}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const sql = await context.openSql();
    const pageId = values.page === undefined ? undefined : await loadPageId(sql, values.page);
    const store = pageId && (await findEventStore({ sql }, pageId));
    const backlog = await loadBacklog({ sql }, store === undefined ? 'default' : store.pageId);
    context.print(values.json ? storeJson(store, backlog) : storeText(store, backlog));
  },
};

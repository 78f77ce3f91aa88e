import { resetEventStore } from '../control/event-stores/index.js';
import { loadPageId } from '../control/pages/index.js';
import { discardBatches } from '../ingest/buffer/backlog.js';
import { ServiceError } from '../lib/service-error.js';
import { inTransaction } from '../sql/in-transaction.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const storeReset: Command = {
  name: 'store reset',
  summary: "keep a page's events in the installation's own store again",
  help: `heartline store reset --page SLUG [--json]

From then on the events of the page go to the installation's own store, and its analytics come from there. What is in
the page's own ClickHouse stays there; what still waits to be delivered to it is discarded.

  --page SLUG  the page
  --json       print one JSON object, {"discarded": BATCHES}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const pageId = await loadPageId(sql, slug);
    const discarded = await inTransaction(sql, async (tx) => {
      if (await resetEventStore(tx, pageId)) return discardBatches(tx, pageId);
      throw new ServiceError('conflict', { message: `${slug} has no store of its own.` });
    });
    context.print(
      values.json
        ? { discarded }
        : `The events of ${slug} go to the installation's own store; ${discarded} batches were discarded.\n`,
    );
  },
};

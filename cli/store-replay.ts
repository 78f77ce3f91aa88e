import { loadPageId } from '../control/pages/index.js';
import { replayBatches } from '../ingest/buffer/replay-batches.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';

export const storeReplay: Command = {
  name: 'store replay',
  summary: 'deliver batches again that were given up',
  help: `heartline store replay [--page SLUG] [--json]

Lets the batches be tried again that no attempt delivered, and what waits be tried at once: those for the page's own
store, or without --page those for the installation's own. A batch that the store had all the same counts once.

  --page SLUG  the page
  --json       print one JSON object, {"replayed": BATCHES}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const sql = await context.openSql();
    const store = values.page === undefined ? 'default' : await loadPageId(sql, values.page);
    const replayed = await replayBatches({ sql, clock: context.clock }, store);
    context.print(values.json ? { replayed } : `${replayed} batches are tried again.\n`);
  },
};

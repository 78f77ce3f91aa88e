import { listKeys } from '../control/keys/index.js';
import { loadPageId } from '../control/pages/index.js';
import type { Command } from './command.js';
import { keyJson } from './key-view.js';
import { formatTable } from './output.js';
import { parseOptions, required } from './parse-options.js';

export const keyList: Command = {
  name: 'key list',
  summary: 'list the API keys of a page',
  help: `heartline key list --page SLUG [--json]

Lists the keys of a page, revoked ones included, oldest first. The time of the last use may be two minutes old.

  --page SLUG  the page
  --json       print one JSON object, {"keys": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const keys = await listKeys({ sql }, await loadPageId(sql, slug));
    if (values.json) return context.print({ keys: keys.map(keyJson) });
    if (keys.length === 0)
      return context.print(`${slug} has no key yet; make one with: heartline key create\n`);
    const rows = keys.map((key) => [
      key.id,
      `${key.displayPrefix}…`,
      key.createdAt.toISOString(),
      key.lastUsedAt?.toISOString() ?? 'never',
      key.revokedAt?.toISOString() ?? '',
    ]);
    context.print(formatTable(['ID', 'KEY', 'CREATED', 'LAST USED', 'REVOKED'], rows));
  },
};

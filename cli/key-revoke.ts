import { revokeKey } from '../control/keys/index.js';
import type { Command } from './command.js';
import { keyJson } from './key-view.js';
import { parseOptions } from './parse-options.js';

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'revoke an API key for good',
  help: `heartline key revoke ID [--json]

Revokes a key; every running instance refuses it within 5 seconds, usually after one. ID is as in: heartline key list

  --json  print one JSON object
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['ID']);
    const [id = ''] = positionals;
    const sql = await context.openSql();
    const key = await revokeKey({ sql, clock: context.clock }, { id });
    if (values.json) return context.print(keyJson(key));
    context.print(`${key.displayPrefix}… (${key.id}) is revoked since ${key.revokedAt?.toISOString()}.\n`);
  },
};

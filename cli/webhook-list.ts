import { listWebhooks } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { parseOptions, required } from './parse-options.js';
import { webhookJson } from './webhook-view.js';

export const webhookList: Command = {
  name: 'webhook list',
  summary: 'list the webhooks of a page',
  help: `heartline webhook list --page SLUG [--json]

Lists the webhooks of a page, disabled ones included, oldest first.

  --page SLUG  the page
  --json       print one JSON object, {"webhooks": [...]}
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { page: { type: 'string' }, json: { type: 'boolean' } }, []);
    const slug = required(values.page, '--page');
    const sql = await context.openSql();
    const webhooks = await listWebhooks({ sql }, { slug });
    if (values.json) return context.print({ webhooks: webhooks.map(webhookJson) });
    if (webhooks.length === 0)
      return context.print(`${slug} has no webhook yet; make one with: heartline webhook create\n`);
    const rows = webhooks.map((webhook) => [
      webhook.id,
      webhook.url,
      webhook.createdAt.toISOString(),
      webhook.disabledAt?.toISOString() ?? '',
      webhook.disabledReason ?? '',
    ]);
    context.print(formatTable(['ID', 'URL', 'CREATED', 'DISABLED', 'REASON'], rows));
  },
};

import { enableWebhook } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';
import { webhookJson } from './webhook-view.js';

export const webhookEnable: Command = {
  name: 'webhook enable',
  summary: 'let a disabled webhook go on',
  help: `heartline webhook enable ID [--json]

Enables a webhook that was disabled, by hand or because its receiver answered 410. Deliveries that were pending
then are sent now. ID is as in: heartline webhook list

  --json  print one JSON object
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['ID']);
    const [id = ''] = positionals;
    const sql = await context.openSql();
    const webhook = await enableWebhook({ sql }, { id });
    if (values.json) return context.print(webhookJson(webhook));
    context.print(`The webhook ${webhook.id} is enabled.\n`);
  },
};

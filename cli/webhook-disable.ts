import { disableWebhook } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';
import { webhookJson } from './webhook-view.js';

export const webhookDisable: Command = {
  name: 'webhook disable',
  summary: 'stop telling a webhook anything',
  help: `heartline webhook disable ID [--json]

Stops a webhook. What is pending waits until it is enabled again; what happens meanwhile is not told to it. ID is
as in: heartline webhook list

  --json  print one JSON object
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['ID']);
    const [id = ''] = positionals;
    const sql = await context.openSql();
    const webhook = await disableWebhook({ sql, clock: context.clock }, { id });
    if (values.json) return context.print(webhookJson(webhook));
    context.print(`The webhook ${webhook.id} is disabled since ${webhook.disabledAt?.toISOString()}.\n`);
  },
};

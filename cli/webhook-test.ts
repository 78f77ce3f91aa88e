import { testWebhook } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';

export const webhookTest: Command = {
  name: 'webhook test',
  summary: 'send a webhook something to try it out',
  help: `heartline webhook test ID [--json]

Queues a delivery of the type webhook.test, which the running service sends within seconds. See what came of it
with: heartline webhook deliveries ID

  --json  print one JSON object, {"deliveryId"}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['ID']);
    const [id = ''] = positionals;
    const sql = await context.openSql();
    const queued = await testWebhook({ sql, clock: context.clock }, { id });
    if (values.json) return context.print(queued);
    context.print(`The delivery ${queued.deliveryId} is queued.\n`);
  },
};

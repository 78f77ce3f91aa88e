import { replayWebhookDelivery } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';

export const webhookReplay: Command = {
  name: 'webhook replay',
  summary: 'send a delivery once more',
  help: `heartline webhook replay DELIVERY_ID [--json]

Makes a delivery pending again that was delivered or parked; the running service sends it, with the same id, within
seconds. DELIVERY_ID is as in: heartline webhook deliveries

  --json  print one JSON object, {"id"}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['DELIVERY_ID']);
    const [given = ''] = positionals;
    const sql = await context.openSql();
    const { id } = await replayWebhookDelivery({ sql, clock: context.clock }, { id: given });
    if (values.json) return context.print({ id });
    context.print(`The delivery ${id} is pending again.\n`);
  },
};

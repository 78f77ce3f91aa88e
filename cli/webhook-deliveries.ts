import { deliveryStates } from '../contract/webhooks.js';
import { listWebhookDeliveries, type WebhookDelivery } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { oneOf, parseOptions, wholeNumber } from './parse-options.js';
import { deliveryJson } from './webhook-view.js';

const limitUsual = '50';
const limitMax = 1_000;

export const webhookDeliveries: Command = {
  name: 'webhook deliveries',
  summary: 'list what a webhook was sent, and how that went',
  help: `heartline webhook deliveries ID [--state STATE] [--limit N] [--json]

Lists the deliveries of a webhook, newest first. A parked one was given up; see: heartline webhook replay

  --state STATE  only ${deliveryStates.join(', ')} ones
  --limit N      at most so many, up to ${limitMax}; ${limitUsual} when left out
  --json         print one JSON object, {"deliveries": [...]}, which also has what receivers answered
`,
  async run(context, argv) {
    const options = {
      state: { type: 'string' },
      limit: { type: 'string', default: limitUsual },
      json: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseOptions(argv, options, ['ID']);
    const [id = ''] = positionals;
    const state = values.state === undefined ? undefined : oneOf(values.state, deliveryStates, '--state');
    const limit = Math.min(wholeNumber(values.limit, '--limit'), limitMax);
    const sql = await context.openSql();
    const deliveries = await listWebhookDeliveries({ sql }, { id, state, limit });
    if (values.json) return context.print({ deliveries: deliveries.map(deliveryJson) });
    if (deliveries.length === 0) return context.print('There is no such delivery.\n');
    const headings = ['ID', 'TYPE', 'STATE', 'CREATED', 'ATTEMPTS', 'LAST STATUS', 'WHAT IS WRONG'];
    context.print(formatTable(headings, deliveries.map(toCells)));
  },
};

function toCells({ id, kind, state, createdAt, attempts, lastAttempt, reason }: WebhookDelivery): string[] {
  const status = lastAttempt?.status?.toString() ?? '';
  const wrong = reason ?? lastAttempt?.error ?? '';
  return [id, kind, state, createdAt.toISOString(), String(attempts), status, wrong];
}

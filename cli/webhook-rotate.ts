import { webhookLimits } from '../contract/webhooks.js';
import { rotateWebhook } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';

export const webhookRotate: Command = {
  name: 'webhook rotate',
  summary: 'give a webhook a new secret',
  help: `heartline webhook rotate ID [--json]

Makes a new secret and prints it. This is the only time that it is shown. For ${webhookLimits.overlapHours} hours deliveries carry the
signatures of both secrets. ID is as in: heartline webhook list

  --json  print one JSON object, {"id", "secret", "previousSecretUntil"}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['ID']);
    const [given = ''] = positionals;
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const rotated = await rotateWebhook({ sql, secretKey, clock: context.clock }, { id: given });
    const { id, secret } = rotated;
    const until = rotated.previousSecretUntil.toISOString();
    if (values.json) return context.print({ id, secret, previousSecretUntil: until });
    context.print(
      `${secret}\n\nThis is the new secret of the webhook ${id}. It is not shown again.\n` +
        `The previous one signs along until ${until}.\n`,
    );
  },
};

import { resendSubscriberEmail } from '../control/subscribers/index.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';

export const subscriberResend: Command = {
  name: 'subscriber resend',
  summary: 'send a parked email again',
  help: `heartline subscriber resend EMAIL_ID [--json]

Puts an email that was given up back among those that are due. It is not sent to an address that is suppressed.

  --json  print one JSON object, {"id"}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['EMAIL_ID']);
    const [id = ''] = positionals;
    const sql = await context.openSql();
    const resent = await resendSubscriberEmail({ sql, clock: context.clock }, { id });
    context.print(values.json ? resent : `The email ${resent.id} is due now.\n`);
  },
};

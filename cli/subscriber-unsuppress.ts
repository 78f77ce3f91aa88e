import { liftSuppression } from '../control/subscribers/index.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const subscriberUnsuppress: Command = {
  name: 'subscriber unsuppress',
  summary: 'let an address get email again that bounced or unsubscribed',
  help: `heartline subscriber unsuppress --page SLUG --email ADDRESS [--json]

Takes an address off the list of those that get nothing. It gets email when it is also a confirmed subscriber.

  --page SLUG      the page
  --email ADDRESS  the address
  --json           print one JSON object, {"email", "reason"}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      email: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const email = required(values.email, '--email');
    const sql = await context.openSql();
    const lifted = await liftSuppression({ sql }, { slug, email });
    context.print(values.json ? lifted : `${lifted.email} is no longer suppressed (${lifted.reason}).\n`);
  },
};

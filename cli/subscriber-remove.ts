import { removeSubscriber } from '../control/subscribers/index.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const subscriberRemove: Command = {
  name: 'subscriber remove',
  summary: 'forget an address',
  help: `heartline subscriber remove --page SLUG --email ADDRESS [--json]

Forgets a subscriber and the emails to it. Whether the address unsubscribed or bounced stays known.

  --page SLUG      the page
  --email ADDRESS  the address
  --json           print one JSON object, {"email"}
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
    const removed = await removeSubscriber({ sql }, { slug, email });
    context.print(values.json ? removed : `${removed.email} is no longer a subscriber of ${slug}.\n`);
  },
};

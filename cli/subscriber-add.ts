import { addSubscriber } from '../control/subscribers/index.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';
import { subscriberJson } from './subscriber-view.js';

export const subscriberAdd: Command = {
  name: 'subscriber add',
  summary: 'add an address that gets email of a page',
  help: `heartline subscriber add --page SLUG --email ADDRESS [--language TAG] [--confirmed] [--json]

Adds an address. It is asked by email to confirm, unless you say that it agreed already.

  --page SLUG      the page
  --email ADDRESS  the address
  --language TAG   one of the page's languages; the default one when left out
  --confirmed      the address has agreed: send it email at once
  --json           print one JSON object, {"id", "email", "language", "state", …}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      email: { type: 'string' },
      language: { type: 'string' },
      confirmed: { type: 'boolean', default: false },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const email = required(values.email, '--email');
    const { language, confirmed } = values;
    const sql = await context.openSql();
    const input = { slug, email, confirmed, ...(language !== undefined && { language }) };
    const subscriber = await addSubscriber({ sql, clock: context.clock }, input);
    if (values.json) return context.print(subscriberJson(subscriber));
    const outcome = subscriber.confirmedAt === null ? 'is asked to confirm email' : 'gets email';
    context.print(`${subscriber.email} ${outcome} of ${slug}, in ${subscriber.language}.\n`);
  },
};

import { emailStates } from '../contract/subscribers.js';
import { listSubscriberEmails } from '../control/subscribers/index.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { oneOf, parseOptions, required, wholeNumber } from './parse-options.js';
import { emailJson } from './subscriber-view.js';

const limitUsual = '50';

export const subscriberEmails: Command = {
  name: 'subscriber emails',
  summary: 'list the emails of a page, and why they were not delivered',
  help: `heartline subscriber emails --page SLUG [--state ${emailStates.join('|')}] [--limit N] [--json]

Lists emails, the newest first.

  --page SLUG    the page
  --state STATE  pending: due now or later; delivered: the mail server has it; parked: given up, see the reason
  --limit N      at most this many; ${limitUsual} when left out
  --json         print one JSON object, {"emails": [...]}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      state: { type: 'string' },
      limit: { type: 'string', default: limitUsual },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const limit = wholeNumber(values.limit, '--limit');
    const state = values.state === undefined ? undefined : oneOf(values.state, emailStates, '--state');
    const sql = await context.openSql();
    const input = { slug, limit, ...(state !== undefined && { state }) };
    const emails = await listSubscriberEmails({ sql }, input);
    if (values.json) return context.print({ emails: emails.map(emailJson) });
    const rows = emails.map((email) => [
      email.id,
      email.kind,
      email.email,
      email.state,
      String(email.attempts),
      email.createdAt.toISOString(),
      email.reason ?? '',
    ]);
    context.print(formatTable(['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'CREATED', 'REASON'], rows));
  },
};

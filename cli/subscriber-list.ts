import { listSubscribers } from '../control/subscribers/index.js';
import { parseId, type SubscriberId } from '../lib/ids.js';
import type { Command } from './command.js';
import { formatTable } from './output.js';
import { parseOptions, required, wholeNumber } from './parse-options.js';
import { subscriberJson, subscriberState } from './subscriber-view.js';
import { UsageError } from './usage-error.js';

const limitUsual = '100';

export const subscriberList: Command = {
  name: 'subscriber list',
  summary: 'list the addresses that asked for email of a page',
  help: `heartline subscriber list --page SLUG [--limit N] [--after ID] [--json]

Lists subscribers in the order in which they were added. Only those in the state "confirmed" get email.

  --page SLUG  the page
  --limit N    at most this many; ${limitUsual} when left out
  --after ID   only those behind this one, to go on where the last list ended
  --json       print one JSON object, {"subscribers": [...]}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      limit: { type: 'string', default: limitUsual },
      after: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const limit = wholeNumber(values.limit, '--limit');
    const after = values.after === undefined ? undefined : parseId<SubscriberId>(values.after);
    if (values.after !== undefined && after === undefined) {
      throw new UsageError(`--after must be the id of a subscriber, not "${values.after}".`);
    }
    const sql = await context.openSql();
    const input = { slug, limit, ...(after !== undefined && { after }) };
    const subscribers = await listSubscribers({ sql }, input);
    if (values.json) return context.print({ subscribers: subscribers.map(subscriberJson) });
    const rows = subscribers.map((subscriber) => [
      subscriber.id,
      subscriber.email,
      subscriber.language,
      subscriberState(subscriber),
      subscriber.createdAt.toISOString(),
    ]);
    context.print(formatTable(['ID', 'EMAIL', 'LANGUAGE', 'STATE', 'CREATED'], rows));
  },
};

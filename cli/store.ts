import { checkDatabaseName, parseStoreUrl } from '../control/event-stores/index.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields } from './core/output.js';
import { readInput } from './core/read-bounded.js';
import { pageOption } from './page.js';
import { type ShownStore, storesOf } from './ports/stores.js';

const optionalPage = { value: 'SLUG', help: 'the page' } as const;

export const storeCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'store set',
    summary: 'keep the events of a page in a ClickHouse of its own',
    help: `Connects to the ClickHouse, creates the database and the tables, and from then on sends the events of the page there
and reads its analytics from there. Events that were counted before stay where they are. Nothing changes when the
ClickHouse cannot be used.`,
    options: {
      page: pageOption,
      url: { value: 'URL', help: 'http:// or https://, with the port', required: true },
      user: {
        value: 'USER',
        help: 'a user who may create tables in the database, and insert and select',
        required: true,
      },
      passwordFile: {
        value: 'FILE',
        help: 'the file with the password; - for standard input',
        required: true,
      },
      database: { value: 'NAME', help: 'the database; heartline by default', default: 'heartline' },
    },
    json: '{"version"}',
    async run(context, { page, user: username, passwordFile, database, ...input }) {
      const url = parseStoreUrl(input.url);
      checkDatabaseName(database);
      const password = await readPassword(passwordFile);
      const { version } = await storesOf(context).set(page, { url, database, username, password });
      const text = `The events of ${page} now go to ClickHouse ${version} at ${url}.\n`;
      return { json: { version }, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'store show',
    summary: 'show where events go, and what waits to be delivered there',
    help: `Shows the event store of a page and its delivery buffer; without --page, those of the installation.`,
    options: { page: optionalPage },
    json: '{"store", "buffer"}',
    async run(context, { page }) {
      return printed(await storesOf(context).show(page));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'store test',
    summary: 'check that the ClickHouse of a page can be used',
    help: `Connects to the ClickHouse of the page, checks its version and the privileges of its user, and creates the tables
that are missing.`,
    options: { page: pageOption },
    json: '{"version"}',
    async run(context, { page }) {
      const { version, url } = await storesOf(context).test(page);
      return { json: { version }, text: `ClickHouse ${version} at ${url} can be written and read.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'store reset',
    summary: 'keep the events of a page in the store of the installation again',
    help: `From then on the events of the page go to the store of the installation, and its analytics come from there. Events in
the page's own ClickHouse stay there; batches that still wait for delivery to it are discarded.`,
    options: { page: pageOption },
    json: '{"discarded": BATCHES}',
    async run(context, { page }) {
      const { discarded } = await storesOf(context).reset(page);
      const text = `The events of ${page} go to the store of the installation; ${discarded} batches were discarded.\n`;
      return { json: { discarded }, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'store replay',
    summary: 'deliver batches again that were given up',
    help: `Delivers again the batches that were given up, and retries waiting ones at once: those for the page's own store,
or without --page those for the store of the installation. A batch that the store already has counts once.`,
    options: { page: optionalPage },
    json: '{"replayed": BATCHES}',
    async run(context, { page }) {
      const { replayed } = await storesOf(context).replay(page);
      return { json: { replayed }, text: `${replayed} batches are tried again.\n` };
    },
  }),
];

async function readPassword(file: string): Promise<string> {
  const content = await readInput(file);
  return content.replace(/\r?\n$/, '');
}

function printed(shown: ShownStore): Output {
  return { json: shown, text: storeText(shown) };
}

function storeText({ store, buffer }: ShownStore): string {
  const place =
    store === undefined
      ? 'the store of the installation'
      : `${store.url}, database ${store.database}, user ${store.user}`;
  const fields: [string, string][] = [['events go to', place]];
  if (buffer === null) return formatFields(fields);
  fields.push(
    ['waiting', `${buffer.pending} batches`],
    ['given up', `${buffer.exhausted} batches`],
    ['removed for lack of room', `${buffer.removedBatches} batches, ${buffer.removedEvents} events`],
  );
  if (buffer.oldestAt !== null) fields.push(['oldest', buffer.oldestAt]);
  if (buffer.nextAttemptAt !== null) fields.push(['next attempt', buffer.nextAttemptAt]);
  if (buffer.lastError !== null) fields.push(['last error', buffer.lastError]);
  return formatFields(fields);
}

import Type, { type Static } from 'typebox';
import { EventStoreReplay, EventStoreTest, ManagedEventStore } from '../contract/manage/event-store.js';
import { checkDatabaseName, parseStoreUrl, replayEventStore } from '../control/event-stores/index.js';
import { type Backlog, loadBacklog, replayBatches } from '../ingest/buffer/backlog.js';
import { ServiceError } from '../lib/service-error.js';
import { type Client, Nothing } from './client/client.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields, isoTime } from './core/output.js';
import { readInput } from './core/read-bounded.js';
import { pageOption } from './page.js';

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
    async run({ client }, { page, user: username, passwordFile, database, ...input }) {
      const url = parseStoreUrl(input.url);
      checkDatabaseName(database);
      const password = await readPassword(passwordFile);
      const path = `${await client.pathOf(page)}/event-store`;
      const body = { url, database, username, password };
      await client.send('PUT', path, { answer: ManagedEventStore, body });
      const version = await testStore(client, path);
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
      return printed(page === undefined ? await showInstallation(context) : await showPage(context, page));
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
    async run({ client }, { page }) {
      const path = `${await client.pathOf(page)}/event-store`;
      const found = await findStore(client, page);
      if (found === undefined) {
        throw noOwnStore(`${page} has no store of its own; set one with: heartline store set`);
      }
      const { url } = found;
      const version = await testStore(client, path);
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
    async run({ client }, { page }) {
      const found = await findStore(client, page);
      if (found === undefined) throw noOwnStore(`${page} has no store of its own.`);
      await client.send('DELETE', `${await client.pathOf(page)}/event-store`, { answer: Nothing });
      const discarded = found.backlog.waiting + found.backlog.exhausted;
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
      const { replayed } = await (page === undefined
        ? replayInstallation(context)
        : replayPage(context.client, page));
      return { json: { replayed }, text: `${replayed} batches are tried again.\n` };
    },
  }),
];

/** The store of a page; `undefined` when it has none of its own. */
async function findStore(
  client: Client,
  page: string,
): Promise<Static<typeof ManagedEventStore> | undefined> {
  const path = await client.pathOf(page);
  return client
    .send('GET', `${path}/event-store`, { answer: ManagedEventStore })
    .catch(async (error: unknown) => {
      if (!(error instanceof ServiceError) || error.kind !== 'notFound') throw error;
      // The page may be what was not found.
      await client.send('GET', path, { answer: Type.Unknown() });
      return undefined;
    });
}

/** Returns the version of the ClickHouse. @throws ServiceError when it cannot be used */
async function testStore(client: Client, path: string): Promise<string> {
  const { version, error } = await client.send('POST', `${path}/test`, { answer: EventStoreTest });
  if (version !== null) return version;
  throw new ServiceError('invalidBody', { message: error ?? 'The ClickHouse cannot be used.' });
}

function noOwnStore(message: string): ServiceError {
  return new ServiceError('conflict', { message });
}

/** A page without a store of its own has no batches of its own either. */
async function replayPage(client: Client, page: string): Promise<{ replayed: number }> {
  if ((await findStore(client, page)) === undefined) return { replayed: 0 };
  return client.send('POST', `${await client.pathOf(page)}/event-store/replay`, { answer: EventStoreReplay });
}

/** The store of the installation has no routes. */
async function replayInstallation(context: CommandContext): Promise<{ replayed: number }> {
  refuseElsewhere(context);
  return { replayed: await replayEventStore({ ...(await context.openControl()), replayBatches }, null) };
}

/** `store` is absent for the store of the installation; `buffer` is null when nobody but its server knows it. */
type ShownStore = {
  store?: { url: string; database: string; user: string; setAt: string } | undefined;
  buffer: ShownBacklog | null;
};
type ShownBacklog = Omit<Backlog, 'oldestAt' | 'nextAttemptAt'> & {
  oldestAt: string | null;
  nextAttemptAt: string | null;
};

async function showPage(context: CommandContext, page: string): Promise<ShownStore> {
  const found = await findStore(context.client, page);
  if (found === undefined) return context.isRemote ? { buffer: null } : showInstallation(context);
  const { url, database, username: user, setAt } = found;
  const { waiting: pending, ...backlog } = found.backlog;
  return { store: { url, database, user, setAt }, buffer: { pending, ...backlog } };
}

async function showInstallation(context: CommandContext): Promise<ShownStore> {
  refuseElsewhere(context);
  const backlog = await loadBacklog(await context.openControl(), 'default');
  const { oldestAt, nextAttemptAt } = backlog;
  return { buffer: { ...backlog, oldestAt: isoTime(oldestAt), nextAttemptAt: isoTime(nextAttemptAt) } };
}

/** @throws ServiceError `notAllowed` over HTTP */
function refuseElsewhere({ isRemote }: CommandContext): void {
  if (!isRemote) return;
  throw new ServiceError('notAllowed', {
    message:
      'The store of the installation is reached on its server, and not over HTTP; name a page with --page.',
  });
}

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

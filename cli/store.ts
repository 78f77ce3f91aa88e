import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import {
  checkDatabaseName,
  type EventStore,
  eventStoreContext,
  findEventStore,
  loadStorePassword,
  parseStoreUrl,
  resetEventStore,
  setEventStore,
} from '../control/event-stores/index.js';
import { loadPageId } from '../control/pages/index.js';
import { type Backlog, discardBatches, loadBacklog, replayBatches } from '../ingest/buffer/backlog.js';
import { createOutbound } from '../lib/outbound/request.js';
import { openSecret } from '../lib/secret-box.js';
import { ServiceError } from '../lib/service-error.js';
import { inTransaction } from '../sql/in-transaction.js';
import { prepareEventStore } from '../sql/prepare-event-store.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields, isoTime } from './core/output.js';
import { pageOption } from './page.js';

const optionalPage = { value: 'SLUG', help: 'the page' } as const;

export const storeCommands = [
  defineCommand({
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
      const { sql, clock, secretKey } = await context.openControlWithSecrets();
      const pageId = await loadPageId(sql, page);
      const address = { url, database, username, password };
      const { version } = await prepare(context, address);
      await setEventStore({ sql, clock, secretKey }, { pageId, ...address });
      const text = `The events of ${page} now go to ClickHouse ${version} at ${url}.\n`;
      return { json: { version }, text };
    },
  }),

  defineCommand({
    name: 'store show',
    summary: 'show where events go, and what waits to be delivered there',
    help: `Shows the event store of a page and its delivery buffer; without --page, those of the installation.`,
    options: { page: optionalPage },
    json: '{"store", "buffer"}',
    async run(context, { page }) {
      const { sql } = await context.openControl();
      const pageId = page === undefined ? undefined : await loadPageId(sql, page);
      const store = pageId && (await findEventStore({ sql }, pageId));
      return printed(store, await loadBacklog({ sql }, store === undefined ? 'default' : store.pageId));
    },
  }),

  defineCommand({
    name: 'store test',
    summary: 'check that the ClickHouse of a page can be used',
    help: `Connects to the ClickHouse of the page, checks its version and the privileges of its user, and creates the tables
that are missing.`,
    options: { page: pageOption },
    json: '{"version"}',
    async run(context, { page }) {
      const { sql, secretKey } = await context.openControlWithSecrets();
      const pageId = await loadPageId(sql, page);
      const store = await findEventStore({ sql }, pageId);
      if (store === undefined) {
        throw noOwnStore(`${page} has no store of its own; set one with: heartline store set`);
      }
      const sealed = await loadStorePassword({ sql }, pageId);
      const password = openSecret(secretKey, eventStoreContext(pageId), sealed);
      const { version } = await prepare(context, { ...store, password });
      return { json: { version }, text: `ClickHouse ${version} at ${store.url} can be written and read.\n` };
    },
  }),

  defineCommand({
    name: 'store reset',
    summary: 'keep the events of a page in the store of the installation again',
    help: `From then on the events of the page go to the store of the installation, and its analytics come from there. Events in
the page's own ClickHouse stay there; batches that still wait for delivery to it are discarded.`,
    options: { page: pageOption },
    json: '{"discarded": BATCHES}',
    async run(context, { page }) {
      const { sql, pageId } = await context.openPage(page);
      const discarded = await inTransaction(sql, async (tx) => {
        if (await resetEventStore(tx, pageId)) return discardBatches(tx, pageId);
        throw noOwnStore(`${page} has no store of its own.`);
      });
      const text = `The events of ${page} go to the store of the installation; ${discarded} batches were discarded.\n`;
      return { json: { discarded }, text };
    },
  }),

  defineCommand({
    name: 'store replay',
    summary: 'deliver batches again that were given up',
    help: `Delivers again the batches that were given up, and retries waiting ones at once: those for the page's own store,
or without --page those for the store of the installation. A batch that the store already has counts once.`,
    options: { page: optionalPage },
    json: '{"replayed": BATCHES}',
    async run(context, { page }) {
      const { sql, clock } = await context.openControl();
      const store = page === undefined ? 'default' : await loadPageId(sql, page);
      const replayed = await replayBatches({ sql, clock }, store);
      return { json: { replayed }, text: `${replayed} batches are tried again.\n` };
    },
  }),
];

function noOwnStore(message: string): ServiceError {
  return new ServiceError('conflict', { message });
}

async function readPassword(file: string): Promise<string> {
  const content = file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8');
  return content.replace(/\r?\n$/, '');
}

/** Connects to a ClickHouse that a tenant names, and creates the tables that are missing. */
async function prepare(
  { config, log }: CommandContext,
  address: Parameters<typeof prepareEventStore>[0],
): Promise<{ version: string }> {
  return prepareEventStore(address, { outbound: createOutbound(config), log });
}

function printed(store: EventStore | undefined, backlog: Backlog): Output {
  const json = {
    store: store && {
      ...{ url: store.url, database: store.database, user: store.username },
      setAt: store.setAt.toISOString(),
    },
    buffer: {
      ...backlog,
      oldestAt: isoTime(backlog.oldestAt),
      nextAttemptAt: isoTime(backlog.nextAttemptAt),
    },
  };
  return { json, text: storeText(store, backlog) };
}

function storeText(store: EventStore | undefined, backlog: Backlog): string {
  const place =
    store === undefined
      ? 'the store of the installation'
      : `${store.url}, database ${store.database}, user ${store.username}`;
  const fields: [string, string][] = [
    ['events go to', place],
    ['waiting', `${backlog.pending} batches`],
    ['given up', `${backlog.exhausted} batches`],
    ['removed for lack of room', `${backlog.removedBatches} batches, ${backlog.removedEvents} events`],
  ];
  if (backlog.oldestAt !== null) fields.push(['oldest', backlog.oldestAt.toISOString()]);
  if (backlog.nextAttemptAt !== null) fields.push(['next attempt', backlog.nextAttemptAt.toISOString()]);
  if (backlog.lastError !== null) fields.push(['last error', backlog.lastError]);
  return formatFields(fields);
}

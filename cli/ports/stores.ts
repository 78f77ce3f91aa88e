import type { Static } from 'typebox';
import { EventStoreReplay, EventStoreTest, ManagedEventStore } from '../../contract/manage/event-store.js';
import {
  findEventStore,
  openEventStore,
  recordStoreTest,
  replayEventStore,
  resetEventStore,
  setEventStore,
} from '../../control/event-stores/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { type Backlog, discardBatches, loadBacklog, replayBatches } from '../../ingest/buffer/backlog.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { ServiceError } from '../../lib/service-error.js';
import { prepareEventStore } from '../../sql/prepare-event-store.js';
import type { CommandContext } from '../core/context.js';
import { isoTime } from '../core/output.js';
import { mayPagesBePrivate } from '../may-be-private.js';
import { Nothing, type Remote } from '../remote/remote.js';

type StoreAddress = { url: string; database: string; username: string; password: string };

/** `store` is absent for the store of the installation; `buffer` is null when nobody but its server knows it. */
export type ShownStore = {
  store?: { url: string; database: string; user: string; setAt: string } | undefined;
  buffer: ShownBacklog | null;
};
type ShownBacklog = Omit<Backlog, 'oldestAt' | 'nextAttemptAt'> & {
  oldestAt: string | null;
  nextAttemptAt: string | null;
};

/** The event stores of the pages of an installation, on its stores or over HTTP. */
export type Stores = {
  /** Returns the version of the ClickHouse. */
  set(page: string, address: StoreAddress): Promise<{ version: string }>;
  /** Without a page, that of the installation. */
  show(page: string | undefined): Promise<ShownStore>;
  test(page: string): Promise<{ version: string; url: string }>;
  /** Returns how many waiting batches were discarded. */
  reset(page: string): Promise<{ discarded: number }>;
  replay(page: string | undefined): Promise<{ replayed: number }>;
};

export function storesOf(context: CommandContext): Stores {
  return context.remote === undefined ? localStores(context) : remoteStores(context.remote);
}

function localStores(context: CommandContext): Stores {
  /** Connects to a ClickHouse that a tenant names, and creates the tables that are missing. */
  const prepare = async (address: StoreAddress) => {
    const { sql } = await context.openControl();
    const allowPrivateAddresses = await mayPagesBePrivate(context.config, sql);
    const outbound = createOutbound({ allowPrivateAddresses });
    return prepareEventStore(address, { outbound, log: context.log });
  };
  return {
    async set(page, address) {
      const control = await context.openControlWithSecrets();
      const pageId = await loadPageId(control.sql, page);
      const { version } = await prepare(address);
      await setEventStore(control, { pageId, ...address });
      return { version };
    },
    async show(page) {
      const { sql } = await context.openControl();
      const pageId = page === undefined ? undefined : await loadPageId(sql, page);
      const store = pageId && (await findEventStore({ sql }, pageId));
      const backlog = await loadBacklog({ sql }, store === undefined ? 'default' : store.pageId);
      return {
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
    },
    async test(page) {
      const control = await context.openControlWithSecrets();
      const pageId = await loadPageId(control.sql, page);
      const known = await openEventStore(control, pageId);
      if (known === undefined) throw noStoreToTest(page);
      const { store, password } = known;
      if (password === undefined)
        throw new Error('The password of the store was sealed with another SECRET_KEY.');
      const { version } = await prepare({ ...store, password });
      await recordStoreTest(control, { pageId, url: store.url, version });
      return { version, url: store.url };
    },
    async reset(page) {
      const { pageId, ...control } = await context.openPage(page);
      const reset = await resetEventStore({ ...control, discardBatches }, pageId);
      if (reset === undefined) throw noOwnStore(page);
      return { discarded: reset.discarded };
    },
    async replay(page) {
      const control = await context.openControl();
      const pageId = page === undefined ? null : await loadPageId(control.sql, page);
      return { replayed: await replayEventStore({ ...control, replayBatches }, pageId) };
    },
  };
}

function remoteStores(remote: Remote): Stores {
  const pathOf = async (page: string) => `${await remote.pathOf(page)}/event-store`;

  /** The store of a page; undefined when it has none of its own. */
  async function find(page: string): Promise<Static<typeof ManagedEventStore> | undefined> {
    return remote.send('GET', await pathOf(page), { answer: ManagedEventStore }).catch((error: unknown) => {
      if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
      throw error;
    });
  }

  async function test(page: string): Promise<string> {
    const answer = await remote.send('POST', `${await pathOf(page)}/test`, { answer: EventStoreTest });
    if (answer.version !== null) return answer.version;
    throw new ServiceError('invalidBody', { message: answer.error ?? 'The ClickHouse cannot be used.' });
  }

  return {
    async set(page, body) {
      await remote.send('PUT', await pathOf(page), { answer: ManagedEventStore, body });
      return { version: await test(page) };
    },
    async show(page) {
      if (page === undefined) throw ofInstallation();
      const found = await find(page);
      if (found === undefined) return { buffer: null };
      const { url, database, username: user, setAt } = found;
      const { waiting: pending, exhausted, events, oldestAt, ...backlog } = found.backlog;
      const { removedBatches, removedEvents, nextAttemptAt, lastError } = backlog;
      return {
        store: { url, database, user, setAt },
        buffer: {
          ...{ pending, exhausted, events, oldestAt, lastError },
          ...{ removedBatches, removedEvents, nextAttemptAt },
        },
      };
    },
    async test(page) {
      const found = await find(page);
      if (found === undefined) throw noStoreToTest(page);
      return { version: await test(page), url: found.url };
    },
    async reset(page) {
      const found = await find(page);
      if (found === undefined) throw noOwnStore(page);
      await remote.send('DELETE', await pathOf(page), { answer: Nothing });
      return { discarded: found.backlog.waiting + found.backlog.exhausted };
    },
    async replay(page) {
      if (page === undefined) throw ofInstallation();
      return remote.send('POST', `${await pathOf(page)}/replay`, { answer: EventStoreReplay });
    },
  };
}

function noStoreToTest(page: string): ServiceError {
  return new ServiceError('conflict', {
    message: `${page} has no store of its own; set one with: heartline store set`,
  });
}

function noOwnStore(page: string): ServiceError {
  return new ServiceError('conflict', { message: `${page} has no store of its own.` });
}

function ofInstallation(): ServiceError {
  return new ServiceError('notAllowed', {
    message:
      'The store of the installation is reached on its server, and not over HTTP; name a page with --page.',
  });
}

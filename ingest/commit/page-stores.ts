import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { migrateOwnStore } from '../../sql/migrate.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { ownStoreLimits } from '../../sql/own-store/limits.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import {
  type EventStoreAddress,
  type OwnEventStore,
  type OwnStoreDeps,
  type OwnStoreSession,
  openOwnEventStore,
} from '../../sql/own-store/own-event-store.js';
import { createOwnStoreTurns } from '../../sql/own-store/turns.js';
import { createDeliveryBuffer } from '../buffer/delivery-buffer.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import { createPostgresCommit, type PostgresCommit } from '../postgres/postgres-commit.js';
import { createOwnBlockStore } from './clickhouse-store.js';
import type { Commit, CommitMetrics } from './commit.js';
import type { BlockBuffer, BlockStore } from './store-block.js';

/** The event store of a page's own. */
export type PageStoreAddress = EventStoreAddress & {
  pageId: PageId;
  /** Grows with every change of the address. */
  revision: bigint;
};

/** Where the events of each page are written and read. */
export type PageStores = {
  /** Returns the commit for batches without an id: the log, or without one `postgresCommitOf`. */
  commitOf(pageId: PageId): Commit;
  /** Returns the commit to the same store through PostgreSQL, for batches that have an id. */
  postgresCommitOf(pageId: PageId): PostgresCommit;
  /** Brings what the page has been acknowledged here to its store; see `Commit.settle`. */
  settle(pageId: PageId): Promise<number | undefined>;
  /**
   * Returns where to read the events of a page now: its own store, or `usual`, which is the client for requests when
   * absent. What is read through one return value of a page's own store shares a time limit.
   */
  clickhouseOf(pageId: PageId, usual?: ClickHouseClient): EventReader;
  /** Whether the page has a store of its own. */
  isOwn(pageId: PageId): boolean;
  /** Returns the store for the delivery; `undefined` for a page without a store of its own. */
  openStore(name: StoreName): BlockStore | undefined;
  /** Sends the blocks that wait, and closes the connections to the stores of pages. */
  close(): Promise<void>;
};

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Returns the address of the page's own store; `undefined` when the page uses the installation's. Costs no query. */
  ownStoreOf(pageId: PageId): PageStoreAddress | undefined;
  allowPrivateAddresses: PrivateAddresses;
  metrics: CommitMetrics;
  /** The store of the installation. */
  usual: { clickhouse: ClickHouseClient; store: BlockStore } & Commits;
  /** Opens a commit of the log; without a log PostgreSQL acknowledges every batch. */
  openLogCommit: ((pageId: PageId, store: BlockStore, buffer: BlockBuffer) => Commit) | undefined;
};

/** The commits to one store; the two are the same without a log. */
type Commits = { commit: Commit; postgresCommit: PostgresCommit };

type Open = Commits & {
  revision: bigint;
  events: OwnEventStore;
  store: BlockStore;
  /** Starts a session of reads. */
  read(sessionMs: number | undefined): OwnStoreSession;
};

/** Open stores of pages, each of about 0.2 MB. The least recently used store is closed. */
const openMax = 500;

/** Opens the store of a page when it is first needed, and again after each change of its address. */
export function createPageStores(deps: Deps): PageStores {
  const { ownStoreOf, usual, log } = deps;
  const shared = { outbound: createOutbound(deps), turns: createOwnStoreTurns() };
  const closing = new Set<Promise<void>>();
  const opened = new LRUCache<PageId, Open>({ max: openMax, dispose: (open) => closeLater(open) });

  function closeLater(open: Open): void {
    const { events } = open;
    const closed = Promise.all(each(open).map((commit) => commit.close()))
      .then(() => events.close())
      .catch((err) => log.warn({ err }, "A page's event store could not be closed."))
      .finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function find(pageId: PageId): Open | undefined {
    const address = ownStoreOf(pageId);
    if (address === undefined) {
      if (opened.size > 0) opened.delete(pageId);
      return undefined;
    }
    const known = opened.get(pageId);
    if (known?.revision === address.revision) return known;
    const open = openOne(deps, address, { ...shared, key: pageId });
    opened.set(pageId, open);
    return open;
  }

  const commitsOf = (pageId: PageId): Commits => find(pageId) ?? usual;

  return {
    commitOf: (pageId) => commitsOf(pageId).commit,
    postgresCommitOf: (pageId) => commitsOf(pageId).postgresCommit,
    async settle(pageId) {
      const waiting = await Promise.all(each(commitsOf(pageId)).map((commit) => commit.settle(pageId)));
      const times = waiting.filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    clickhouseOf: (pageId, client) =>
      find(pageId)?.read(client === undefined ? ownStoreLimits.requestMs : undefined) ??
      client ??
      usual.clickhouse,
    isOwn: (pageId) => ownStoreOf(pageId) !== undefined,
    openStore: (name) => (name === 'default' ? usual.store : find(name)?.store),
    async close() {
      opened.clear();
      await Promise.all(closing);
    },
  };
}

const each = ({ commit, postgresCommit }: Commits): Commit[] => [...new Set([commit, postgresCommit])];

function openOne(
  { sql, clock, log, metrics, openLogCommit }: Deps,
  address: PageStoreAddress,
  storeDeps: OwnStoreDeps,
): Open {
  const events = openOwnEventStore(address, storeDeps);
  const migrate = createMigration(log);
  const store = migratedFirst(createOwnBlockStore(events), events, migrate);
  const buffer = createDeliveryBuffer({ sql, clock, log }, address.pageId);
  const postgresCommit = createPostgresCommit({ store, buffer, log, metrics });
  const commit = openLogCommit?.(address.pageId, store, buffer) ?? postgresCommit;
  const read = readMigrated(events, migrate);
  return { revision: address.revision, events, store, commit, postgresCommit, read };
}

type Migrate = (session: OwnStoreSession) => Promise<void>;

/** Migrates a page's store once: an upgrade of the service migrates the installation's store only. */
function createMigration(log: Log): Migrate {
  let migrated: Promise<void> | undefined;
  return (session) => {
    migrated ??= migrateOwnStore({ session, log }).catch((error) => {
      migrated = undefined;
      throw error;
    });
    return migrated;
  };
}

/** Migrates a page's store before its first block. */
function migratedFirst(store: BlockStore, events: OwnEventStore, migrate: Migrate): BlockStore {
  return {
    async insert(bytes, token, signal) {
      await migrate(events.begin(ownStoreLimits.migrationMs));
      await store.insert(bytes, token, signal);
    },
  };
}

/**
 * Migrates a page's store before its first read, which may be of columns that the store is yet to get. It tries once, and a
 * failure is not the error of the read: that says itself why the store cannot be read.
 */
function readMigrated(events: OwnEventStore, migrate: Migrate): Open['read'] {
  let tried: Promise<void> | undefined;
  return (sessionMs) => {
    const session = events.begin(sessionMs);
    return {
      async loadRows(type, query) {
        tried ??= migrate(session).catch(() => {});
        await tried;
        return session.loadRows(type, query);
      },
      command: (query, parameters) => session.command(query, parameters),
    };
  };
}

import { ClickHouseError } from '@clickhouse/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { endsWithin } from '../../lib/timeout.js';
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
import { OwnStoreError } from '../../sql/own-store/own-store-error.js';
import { createOwnStoreTurns } from '../../sql/own-store/turns.js';
import { createDeliveryBuffer } from '../buffer/delivery-buffer.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import { type CumulativeCommit, createCumulativeCommit } from '../cumulative/cumulative-commit.js';
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
  /** Returns the commit to the same store for cumulative data points. */
  cumulativeCommitOf(pageId: PageId): CumulativeCommit;
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

/** The commits to one store; the first two are the same without a log. */
type Commits = { commit: Commit; postgresCommit: PostgresCommit; cumulativeCommit: CumulativeCommit };

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
    cumulativeCommitOf: (pageId) => commitsOf(pageId).cumulativeCommit,
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

const each = ({ commit, postgresCommit, cumulativeCommit }: Commits): Pick<Commit, 'settle' | 'close'>[] => [
  ...new Set([commit, postgresCommit, cumulativeCommit]),
];

function openOne(
  { sql, clock, log, metrics, openLogCommit }: Deps,
  address: PageStoreAddress,
  storeDeps: OwnStoreDeps,
): Open {
  const events = openOwnEventStore(address, storeDeps);
  const migration = createMigration({ events, clock, log });
  const store = migratedFirst(createOwnBlockStore(events), migration);
  const buffer = createDeliveryBuffer({ sql, clock, log }, address.pageId);
  const postgresCommit = createPostgresCommit({ store, buffer, log, metrics });
  const cumulativeCommit = createCumulativeCommit({ store, buffer, log, metrics });
  const commit = openLogCommit?.(address.pageId, store, buffer) ?? postgresCommit;
  const read = readMigrated(events, migration);
  return { revision: address.revision, events, store, commit, postgresCommit, cumulativeCommit, read };
}

type Migration = {
  /** Migrates the store, unless that is done; calls at the same time share one try. @throws as migrateOwnStore(). */
  run(): Promise<void>;
  /** As run(), but not soon after a try that failed. Does not reject: returns whether the store is migrated. */
  runUnlessFailed(waitMs: number): Promise<boolean>;
};

/** Reads do not repeat a migration that failed before this is over: it may take a store 60 s to fail. */
const retryMigrationMs = 30_000;

/** Migrates a page's store once: an upgrade of the service migrates the installation's store only. */
function createMigration({
  events,
  clock,
  log,
}: Pick<Deps, 'clock' | 'log'> & { events: OwnEventStore }): Migration {
  let migrated: Promise<void> | undefined;
  let isDone = false;
  let retryAt = Number.NEGATIVE_INFINITY;

  function run(): Promise<void> {
    migrated ??= migrateOwnStore({ session: events.begin(ownStoreLimits.migrationMs), log }).then(
      () => {
        isDone = true;
      },
      (error: unknown) => {
        migrated = undefined;
        retryAt = clock.now() + retryMigrationMs;
        throw error;
      },
    );
    return migrated;
  }

  return {
    run,
    async runUnlessFailed(waitMs) {
      if (!isDone && (migrated !== undefined || clock.now() >= retryAt)) await endsWithin(run(), waitMs);
      return isDone;
    },
  };
}

/** Migrates a page's store before its first block. */
function migratedFirst(store: BlockStore, migration: Migration): BlockStore {
  return {
    async insert(bytes, token, signal) {
      await migration.run();
      await store.insert(bytes, token, signal);
    },
  };
}

/**
 * Migrates a page's store before its first read, which may be of columns that the store is yet to get. The migration has
 * time of its own, for which the read waits as long as its session lasts. When the migration fails, the read says itself
 * why the store cannot be read.
 */
function readMigrated(events: OwnEventStore, migration: Migration): Open['read'] {
  return (sessionMs = ownStoreLimits.sessionMs) => {
    const session = events.begin(sessionMs);
    const endsAt = performance.now() + sessionMs;
    return {
      store: session.store,
      async loadRows(type, query) {
        const isMigrated = await migration.runUnlessFailed(endsAt - performance.now());
        try {
          return await session.loadRows(type, query);
        } catch (error) {
          throw isMigrated ? error : explainUnmigrated(error);
        }
      },
      command: (query, parameters) => session.command(query, parameters),
    };
  };
}

/** NO_SUCH_COLUMN_IN_TABLE, UNKNOWN_IDENTIFIER, UNKNOWN_TABLE. */
const unknownNames: ReadonlySet<string> = new Set(['16', '47', '60']);

/** Returns the error of a read from a store that is not migrated. An unknown name is the service's then, not the caller's. */
function explainUnmigrated(error: unknown): unknown {
  const failure = error instanceof OwnStoreError ? error.failure : error;
  if (!(failure instanceof ClickHouseError) || !unknownNames.has(failure.code)) return error;
  return new OwnStoreError('does not have its present tables yet, or cannot be given them', failure);
}

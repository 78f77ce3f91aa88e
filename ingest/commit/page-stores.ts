import type { Agent } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { agentFor, createFilteringAgents } from '../../lib/outbound/filtering-agents.js';
import { migrateClickHouse } from '../../sql/migrate.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type EventStoreAddress, eventStoreUrl } from '../../sql/prepare-event-store.js';
import { createDeliveryBuffer, type StoreName } from '../buffer/delivery-buffer.js';
import { createClickHouseStore } from './clickhouse-store.js';
import { type CommitMetrics, createGroupCommit, type GroupCommit } from './group-commit.js';
import type { BlockStore } from './store-block.js';

/** The event store of a page's own. */
export type PageStoreAddress = EventStoreAddress & {
  pageId: PageId;
  /** Grows with every change of the address. */
  revision: bigint;
};

/** Where the events of each page are written and read. */
export type PageStores = {
  commitOf(pageId: PageId): GroupCommit;
  clickhouseOf(pageId: PageId): ClickHouseClient;
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
  allowPrivateAddresses: boolean;
  metrics: CommitMetrics;
  /** The store of the installation. */
  usual: { clickhouse: ClickHouseClient; store: BlockStore; commit: GroupCommit };
};

type Open = {
  revision: bigint;
  clickhouse: ClickHouseClient;
  store: BlockStore;
  commit: GroupCommit;
};

/** Open stores of pages, each of about 0.2 MB. The least recently used store is closed. */
const openMax = 500;

/** Opens the store of a page when it is first needed, and again after each change of its address. */
export function createPageStores(deps: Deps): PageStores {
  const { ownStoreOf, usual, log } = deps;
  const agents = createFilteringAgents(deps);
  const closing = new Set<Promise<void>>();
  const opened = new LRUCache<PageId, Open>({ max: openMax, dispose: (open) => closeLater(open) });

  function closeLater({ commit, clickhouse }: Open): void {
    const closed = commit
      .close()
      .then(() => clickhouse.close())
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
    const open = openOne(deps, address, agentFor(agents, address.url));
    opened.set(pageId, open);
    return open;
  }

  return {
    commitOf: (pageId) => find(pageId)?.commit ?? usual.commit,
    clickhouseOf: (pageId) => find(pageId)?.clickhouse ?? usual.clickhouse,
    isOwn: (pageId) => ownStoreOf(pageId) !== undefined,
    openStore: (name) => (name === 'default' ? usual.store : find(name)?.store),
    async close() {
      opened.clear();
      await Promise.all(closing);
    },
  };
}

function openOne({ sql, clock, log, metrics }: Deps, address: PageStoreAddress, agent: Agent): Open {
  const clickhouse = openClickHouse(eventStoreUrl(address), { agent });
  const store = migratedFirst(createClickHouseStore(clickhouse), clickhouse, log);
  const buffer = createDeliveryBuffer({ sql, clock, log }, address.pageId);
  const commit = createGroupCommit({ store, buffer, log, metrics });
  return { revision: address.revision, clickhouse, store, commit };
}

/** Migrates a page's store before its first block: an upgrade of the service migrates the installation's store only. */
function migratedFirst(store: BlockStore, clickhouse: ClickHouseClient, log: Log): BlockStore {
  let migrated: Promise<void> | undefined;
  return {
    async insert(bytes, token, signal) {
      migrated ??= migrateClickHouse({ clickhouse, log }).catch((error) => {
        migrated = undefined;
        throw error;
      });
      await migrated;
      await store.insert(bytes, token, signal);
    },
  };
}

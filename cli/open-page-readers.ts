import { createEventStoreDirectory } from '../control/event-stores/index.js';
import type { PageId } from '../lib/ids.js';
import type { Log } from '../lib/log.js';
import type { PrivateAddresses } from '../lib/outbound/address-guard.js';
import { createOutbound } from '../lib/outbound/request.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';
import type { EventReader } from '../sql/own-store/load-event-rows.js';
import { openOwnEventStore } from '../sql/own-store/own-event-store.js';
import { createOwnStoreTurns } from '../sql/own-store/turns.js';

type Deps = {
  sql: Sql;
  log: Log;
  clickhouse: ClickHouseClient;
  secretKey: string;
  allowPrivateAddresses: PrivateAddresses;
};

export type PageReaders = { clickhouseOf(pageId: PageId): EventReader; close(): Promise<void> };

/** Where to read the events of each page, by the event stores that are set at the time of the call. */
export async function openPageReaders({ clickhouse, ...deps }: Deps): Promise<PageReaders> {
  const directory = createEventStoreDirectory(deps);
  await directory.start();
  const shared = { outbound: createOutbound(deps), turns: createOwnStoreTurns() };
  return {
    clickhouseOf(pageId) {
      const store = directory.get(pageId);
      return store === undefined ? clickhouse : openOwnEventStore(store, { ...shared, key: pageId }).begin();
    },
    close: () => directory.stop(),
  };
}

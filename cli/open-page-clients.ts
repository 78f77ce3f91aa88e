import { createEventStoreDirectory } from '../control/event-stores/index.js';
import type { PageId } from '../lib/ids.js';
import type { Log } from '../lib/log.js';
import { agentFor, createFilteringAgents } from '../lib/outbound/filtering-agents.js';
import { type ClickHouseClient, openClickHouse } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';
import { eventStoreUrl } from '../sql/prepare-event-store.js';

type Deps = {
  sql: Sql;
  log: Log;
  clickhouse: ClickHouseClient;
  secretKey: string;
  allowPrivateAddresses: boolean;
};

export type PageClients = { clickhouseOf(pageId: PageId): ClickHouseClient; close(): Promise<void> };

/** A client for the ClickHouse of each page, by the event stores that are set at the time of the call. */
export async function openPageClients({ clickhouse, ...deps }: Deps): Promise<PageClients> {
  const directory = createEventStoreDirectory(deps);
  await directory.start();
  const agents = createFilteringAgents(deps);
  const opened = new Map<PageId, ClickHouseClient>();

  function open(pageId: PageId): ClickHouseClient {
    const store = directory.get(pageId);
    if (store === undefined) return clickhouse;
    const agent = agentFor(agents, store.url);
    const client = opened.get(pageId) ?? openClickHouse(eventStoreUrl(store), { agent });
    opened.set(pageId, client);
    return client;
  }

  return {
    clickhouseOf: open,
    async close() {
      await directory.stop();
      await Promise.all([...opened.values()].map((client) => client.close()));
    },
  };
}

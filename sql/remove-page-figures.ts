import { type ClusterAddress, onEachServer } from './cluster-servers.js';
import type { ClickHouseClient } from './open-clickhouse.js';

/**
 * Deletes every row of the installation's ClickHouse that names a page: on each server of a cluster, and otherwise on the
 * one that there is. It reads first which tables have any, because a deletion goes through all parts of a table. ClickHouse
 * finishes it by itself, also after a restart. It can be interrupted and repeated.
 *
 * @throws Error when a server of the cluster does not answer, after the deletion on all others.
 */
export async function removePageFigures(
  { clickhouse, cluster }: { clickhouse: ClickHouseClient; cluster?: ClusterAddress | undefined },
  pageId: string,
): Promise<void> {
  if (cluster === undefined) return removeOnServer(clickhouse, pageId);
  const { silent } = await onEachServer({ clickhouse, cluster }, (server) =>
    removeOnServer(server.clickhouse, pageId),
  );
  if (silent.length > 0) throw new Error(`${silent.join(', ')} did not answer.`);
}

async function removeOnServer(clickhouse: ClickHouseClient, pageId: string): Promise<void> {
  for (const name of await loadTables(clickhouse)) {
    const query_params = { name, pageId };
    const found = await clickhouse.query({
      query: 'SELECT 1 FROM {name:Identifier} WHERE page_id = {pageId:UUID} LIMIT 1',
      query_params,
      format: 'JSONEachRow',
    });
    if ((await found.json()).length === 0) continue;
    await clickhouse.command({
      query: 'DELETE FROM {name:Identifier} WHERE page_id = {pageId:UUID}',
      query_params,
      // A table may be too large to wait for.
      clickhouse_settings: { lightweight_deletes_sync: '0' },
    });
  }
}

/** Loads the tables that store rows of pages. */
async function loadTables(clickhouse: ClickHouseClient): Promise<string[]> {
  const result = await clickhouse.query({
    query: `
      SELECT name FROM system.tables
      WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name IN (
        SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'page_id')
      ORDER BY name`,
    format: 'JSONEachRow',
  });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}

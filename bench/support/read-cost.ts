import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** The sums of the costs of queries, from the log of the server. */
export type ReadCost = { queries: number; rows: number; processorMs: number };

/** Returns the client with a name for its queries in the log of the server, or with the one that they have at the time. */
export function nameQueries(clickhouse: ClickHouseClient, name: string | (() => string)): ClickHouseClient {
  const nameNow = typeof name === 'string' ? () => name : name;
  return new Proxy(clickhouse, {
    get(target, property) {
      if (property !== 'query') return Reflect.get(target, property);
      return (asked: Parameters<ClickHouseClient['query']>[0]) =>
        target.query({
          ...asked,
          clickhouse_settings: { ...asked.clickhouse_settings, log_comment: nameNow() },
        });
    },
  });
}

/** Loads the cost of all queries with this name. */
export async function loadReadCost(clickhouse: ClickHouseClient, name: string): Promise<ReadCost> {
  await clickhouse.command({ query: 'SYSTEM FLUSH LOGS' });
  const result = await clickhouse.query({
    query: `SELECT toFloat64(count()) AS queries, toFloat64(sum(read_rows)) AS rows,
              sum(ProfileEvents['OSCPUVirtualTimeMicroseconds']) / 1000 AS processorMs
            FROM system.query_log
            WHERE type = 'QueryFinish' AND is_initial_query AND log_comment = {name:String}`,
    query_params: { name },
    format: 'JSONEachRow',
  });
  const [cost] = await result.json<ReadCost>();
  return cost ?? { queries: 0, rows: 0, processorMs: 0 };
}

import { join } from 'node:path';
import type { Test } from 'tap';
import { readerRights } from '../../contract/sql-tables.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { createPrivateFile, makePrivateFolder } from '../../stack/files.js';
import { findPorts } from '../../stack/ports.js';
import { testSecretKey } from './embedded-stores.js';
import { select } from './rollups.js';
import { silentLog } from './silent-log.js';
import { temporaryFolder } from './temporary-folder.js';

export type TestShard = {
  url: string;
  clickhouse: ClickHouseClient;
  stop(): Promise<void>;
  /** Starts the server again on the same data. */
  start(): Promise<void>;
};

export const testClusterName = 'two';
const database = 'heartline';
const password = 'the password of the service on both';

/** Starts two embedded servers that form the cluster `two`, without tables, and stops them when the test ends. */
export async function startTestCluster(t: Test): Promise<readonly [TestShard, TestShard]> {
  const dir = await temporaryFolder(t);
  const [firstHttp = 0, firstTcp = 0, secondHttp = 0, secondTcp = 0] = await findPorts([0, 0, 0, 0]);
  const cluster = {
    name: testClusterName,
    secret: 'between the two',
    shards: [firstTcp, secondTcp].map((tcpPort) => ({ host: '127.0.0.1', tcpPort })),
  };

  async function startShard(name: string, port: number, tcpPort: number): Promise<TestShard> {
    const folder = join(dir, name);
    await makePrivateFolder(folder);
    await createPrivateFile(join(folder, 'password'), password);
    const tables = { database, ...readerRights, secretKey: testSecretKey };
    const launch = () => startClickHouse({ dir: folder, ...tables, port, tcpPort, cluster, log: silentLog });
    let server = await launch();
    const clickhouse = openClickHouse(server.url);
    t.teardown(async () => {
      await clickhouse.close();
      await server.stop();
    });
    return {
      url: server.url,
      clickhouse,
      stop: () => server.stop(),
      async start() {
        server = await launch();
      },
    };
  }

  return Promise.all([startShard('first', firstHttp, firstTcp), startShard('second', secondHttp, secondTcp)]);
}

/** Returns the merged figures of each table; `suffix` selects the rows of one server. */
export async function totals(server: ClickHouseClient, suffix = ''): Promise<Record<string, unknown>> {
  const of: Record<string, string> = {
    ...{ requests_minute: 'sum(requests)', requests_hour: 'sum(requests)' },
    ...{ service_requests_minute: 'sum(requests)', service_requests_hour: 'sum(requests)' },
    ...{ page_requests_minute: 'sum(requests)', page_requests_hour: 'sum(requests)' },
    ...{ service_requests_day: 'sum(requests)', page_requests_day: 'sum(requests)' },
    ...{ endpoint_requests_6h: 'sum(requests)', endpoint_requests_day: 'sum(requests)' },
    ...{ endpoint_requests_minute: 'sum(requests)', endpoint_requests_hour: 'sum(requests)' },
    ...{ messages: 'uniqExact(endpoint)', reports: 'sum(calls)' },
    ...{ pool_reports: 'count()', pools_minute: 'sum(intervals)' },
    ...{ process_pools_minute: 'sum(intervals)', pool_exporters_minute: 'sum(reports)' },
  };
  const parts = Object.entries(of).map(
    ([table, total]) => `(SELECT toUInt32(${total}) FROM ${table}${suffix}) AS ${table}`,
  );
  const [row] = await select<Record<string, unknown>>(server, `SELECT ${parts.join(', ')}`);
  return row ?? {};
}

/** Returns the figures of this many failing requests to separate endpoints, reports of separate pools, and calls. */
export const totalsOf = (events: number, pools: number, calls: number) => ({
  ...{ requests_minute: events, requests_hour: events },
  ...{ service_requests_minute: events, service_requests_hour: events },
  ...{ page_requests_minute: events, page_requests_hour: events },
  ...{ service_requests_day: events, page_requests_day: events },
  ...{ endpoint_requests_6h: events, endpoint_requests_day: events },
  ...{ endpoint_requests_minute: events, endpoint_requests_hour: events },
  ...{ messages: events, reports: calls },
  ...{
    pool_reports: 2 * pools,
    pools_minute: pools,
    process_pools_minute: pools,
    pool_exporters_minute: pools,
  },
});

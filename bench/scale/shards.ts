import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readerRights } from '../../contract/sql-tables.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { findPorts } from '../../stack/ports.js';
import type { Stores } from '../support/stores.js';

const clusterName = 'bench';
const log = { debug() {}, info() {}, warn() {}, error() {} };

export type Shards = {
  /** Environment variables for the service. */
  env: Record<string, string>;
  stop(): Promise<void>;
};

/** Two embedded ClickHouse servers, in separate folders, that form a cluster. */
export async function startShards({ dataDir }: Stores): Promise<Shards> {
  const [firstHttp = 0, firstTcp = 0, secondHttp = 0, secondTcp = 0] = await findPorts([0, 0, 0, 0]);
  const cluster = {
    name: clusterName,
    secret: 'between the two',
    shards: [firstTcp, secondTcp].map((tcpPort) => ({ host: '127.0.0.1', tcpPort })),
  };
  const start = async (name: string, port: number, tcpPort: number) => {
    const dir = join(dataDir, name);
    await mkdir(dir, { mode: 0o700 });
    await writeFile(join(dir, 'password'), 'the password of the service on both', { mode: 0o600 });
    const tables = { database: 'heartline', ...readerRights, secretKey: 'of both' };
    return startClickHouse({ dir, ...tables, port, tcpPort, cluster, log });
  };
  const servers = await Promise.all([
    start('first-shard', firstHttp, firstTcp),
    start('second-shard', secondHttp, secondTcp),
  ]);
  const [first] = servers;
  return {
    env: { CLICKHOUSE_URL: first.url, CLICKHOUSE_CLUSTER: clusterName },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

import type { ClusterLayout } from './cluster-statements.js';
import { MigrationError } from './migration-files.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from './open-clickhouse.js';

/** A cluster and the address of one of its servers. */
export type ClusterAddress = {
  /** Name of the cluster in the `remote_servers` of the servers. */
  name: string;
  /** All servers have this user, password and database. */
  url: string;
};

/** A server and the layout of its cluster; `layout` is absent for a server that stands alone. */
export type Server = { clickhouse: ClickHouseClient; layout?: ClusterLayout };

type Row = { shard: number; host: string; port: number; copies: number };

/**
 * Does `work` on every server of a cluster that answers, one after the other, and returns the addresses of the servers
 * that do not answer (`silent`). Each server is reached over HTTP under its name in the cluster and at the port that it
 * reports. The database is created on servers that lack it.
 *
 * @throws MigrationError when the cluster does not exist or is misconfigured, or when a server cannot be reached from
 *   this host; and whatever `work` throws.
 */
export async function onEachServer(
  { clickhouse, cluster }: { clickhouse: ClickHouseClient; cluster: ClusterAddress },
  work: (server: Server) => Promise<void>,
): Promise<{ silent: string[] }> {
  const rows = await loadServers(clickhouse, cluster.name);
  const layout = { name: cluster.name, replicated: await isReplicated(clickhouse, cluster.name, rows) };
  const ports = await loadHttpPorts(clickhouse, cluster);
  const silent: string[] = [];
  for (const [i, { host, port }] of rows.entries()) {
    const httpPort = ports.get(i + 1);
    if (httpPort === undefined) silent.push(`${host}:${port}`);
    else await onServer(urlOf(cluster.url, host, httpPort), (server) => work({ clickhouse: server, layout }));
  }
  return { silent };
}

async function onServer(url: string, work: (clickhouse: ClickHouseClient) => Promise<void>): Promise<void> {
  const { host } = new URL(url);
  const clickhouse = openClickHouse(url, { max: 1 });
  try {
    const answers = await clickhouse.ping({ select: false });
    if (!answers.success) {
      throw new MigrationError(
        `The server ${host} of the ClickHouse cluster does not answer over HTTP. The service must reach each server; check its name and port.`,
        { cause: answers.error },
      );
    }
    await ensureDatabase(url);
    await work(clickhouse);
  } finally {
    await clickhouse.close();
  }
}

/** Loads the servers in the order in which clusterAllReplicas() numbers them. */
async function loadServers(clickhouse: ClickHouseClient, name: string): Promise<Row[]> {
  const answer = await clickhouse.query({
    query: `
      SELECT shard_num AS shard, host_name AS host, port, internal_replication AS copies
      FROM system.clusters WHERE cluster = {name:String} ORDER BY shard_num, replica_num`,
    query_params: { name },
    format: 'JSONEachRow',
  });
  const rows = await answer.json<Row>();
  if (rows.length > 0) return rows;
  throw new MigrationError(
    `ClickHouse has no cluster "${name}". Set CLICKHOUSE_CLUSTER to a name of its remote_servers.`,
  );
}

/** Whether the servers have the macros `shard` and `replica`, which serve no purpose but replicated tables. */
async function isReplicated(
  clickhouse: ClickHouseClient,
  name: string,
  rows: readonly Row[],
): Promise<boolean> {
  const answer = await clickhouse.query({
    query: "SELECT count() AS macros FROM system.macros WHERE macro IN ('shard', 'replica')",
    format: 'JSONEachRow',
  });
  const [found] = await answer.json<{ macros: string }>();
  const replicated = Number(found?.macros) === 2;
  const hasCopies = new Set(rows.map(({ shard }) => shard)).size < rows.length;
  if (hasCopies && !replicated) {
    throw new MigrationError(
      `The cluster "${name}" has several servers per shard, but they have no macros shard and replica. Configure the servers as /docs/cluster of the service says.`,
    );
  }
  if (hasCopies && rows.some(({ copies }) => copies === 0)) {
    throw new MigrationError(
      `The cluster "${name}" has internal_replication off, and every row would count once for each server of its shard. Turn internal_replication on.`,
    );
  }
  return replicated;
}

/** Loads the ports by the number of the server. Servers that do not answer are missing. */
async function loadHttpPorts(
  clickhouse: ClickHouseClient,
  { name, url }: ClusterAddress,
): Promise<Map<number, number>> {
  const kind = new URL(url).protocol === 'https:' ? 'https_port' : 'http_port';
  const answer = await clickhouse.query({
    query: `SELECT _shard_num AS number, getServerPort('${kind}') AS port FROM clusterAllReplicas('${name}', system.one)`,
    format: 'JSONEachRow',
    clickhouse_settings: { skip_unavailable_shards: 1 },
  });
  const rows = await answer.json<{ number: number; port: number }>();
  return new Map(rows.map(({ number, port }) => [number, port]));
}

function urlOf(usual: string, host: string, port: number): string {
  const url = new URL(usual);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  return url.href;
}

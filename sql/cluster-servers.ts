import type { ClusterLayout } from './cluster-statements.js';
import { MigrationError } from './migration-files.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from './open-clickhouse.js';

/** A cluster, by one of its servers. */
export type ClusterAddress = {
  /** As the servers' `remote_servers` name it. */
  name: string;
  /** All servers have this user, password and database. */
  url: string;
};

/** One server, and the cluster that it is a part of; none for a server that stands alone. */
export type Server = { clickhouse: ClickHouseClient; layout?: ClusterLayout };

type Row = { shard: number; host: string; port: number; copies: number };

/**
 * Does the same on every server of a cluster that answers, one after the other, and answers the addresses of those
 * that do not. Each is reached over HTTP under the name that the cluster has for it, at the port that it says itself.
 * The database is made where it is missing.
 *
 * @throws MigrationError when the cluster is not known or not fit, or a server cannot be reached from here; and
 *   what `work` throws.
 */
export async function onEachServer(
  { clickhouse, cluster }: { clickhouse: ClickHouseClient; cluster: ClusterAddress },
  work: (server: Server) => Promise<void>,
): Promise<{ away: string[] }> {
  const rows = await readServers(clickhouse, cluster.name);
  const layout = { name: cluster.name, replicated: await isReplicated(clickhouse, cluster.name, rows) };
  const ports = await readHttpPorts(clickhouse, cluster);
  const away: string[] = [];
  for (const [i, { host, port }] of rows.entries()) {
    const httpPort = ports.get(i + 1);
    if (httpPort === undefined) away.push(`${host}:${port}`);
    else await onServer(urlOf(cluster.url, host, httpPort), (server) => work({ clickhouse: server, layout }));
  }
  return { away };
}

async function onServer(url: string, work: (clickhouse: ClickHouseClient) => Promise<void>): Promise<void> {
  const { host } = new URL(url);
  const clickhouse = openClickHouse(url, { max: 1 });
  try {
    const answers = await clickhouse.ping({ select: false });
    if (!answers.success) {
      throw new MigrationError(
        `The server ${host} of the ClickHouse cluster does not answer over HTTP; the service must reach each of them.`,
        { cause: answers.error },
      );
    }
    await ensureDatabase(url);
    await work(clickhouse);
  } finally {
    await clickhouse.close();
  }
}

/** In the order in which clusterAllReplicas() numbers them. */
async function readServers(clickhouse: ClickHouseClient, name: string): Promise<Row[]> {
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
    `ClickHouse has no cluster "${name}"; CLICKHOUSE_CLUSTER must be one that its remote_servers name.`,
  );
}

/** Macros tell: a server has `shard` and `replica` in order that tables can be replicated, and for nothing else. */
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
      `The cluster "${name}" has several servers a shard, but they have no macros shard and replica; docs/cluster.md has the configuration.`,
    );
  }
  if (hasCopies && rows.some(({ copies }) => copies === 0)) {
    throw new MigrationError(
      `The cluster "${name}" must have internal_replication on, or every row would count once for each server of its shard.`,
    );
  }
  return replicated;
}

/** By number of the server; one that is away is missing. */
async function readHttpPorts(
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

import { createHash } from 'node:crypto';
import { totalmem } from 'node:os';
import {
  clusterRowFilter,
  clusterSqlUserSettings,
  localTable,
  pageRowFilter,
  shardUsersTable,
  sqlUserName,
  sqlUserSettings,
} from '../contract/sql-tables.js';

/** Name under which a backup freezes tables: the engine links their files to a folder of that name. */
export const freezeName = 'heartline_backup';

/** Folder of the links, below the folder of the engine. */
export const frozenFolder = `shadow/${freezeName}`;

/** User of the service on the embedded server. */
export const serviceUserName = 'heartline';

/** The rest is for PostgreSQL, the service, and the cache of files that makes reads quick. */
const memoryShare = 0.4;

/**
 * Returns the memory that the server may use unless the configuration says otherwise, in bytes: 40 % of the machine's,
 * or of the container's. It is a bound, and nothing is reserved.
 *
 * @param constrained limit of the container; 0 and a number beyond any machine both mean that there is none.
 */
export function usualMemoryBytes(total = totalmem(), constrained = process.constrainedMemory()): number {
  return Math.floor(Math.min(total, constrained || total) * memoryShare);
}

export type ServerSettings = {
  usersFile: string;
  /** Memory that the server may use; a query that needs more fails. */
  memoryBytes?: number | undefined;
  /** Whether an insert is answered when the disk has its parts, so that they survive a power failure. */
  syncsInserts?: boolean | undefined;
  cluster?: Cluster | undefined;
};

/**
 * Returns the settings of a server on a small machine that also runs the service. Measured with these settings when
 * idle: 270 MB resident, 1 % of a core. The only log of the engine is query_log, which keeps one hour.
 */
export function serverConfig({
  usersFile,
  memoryBytes = usualMemoryBytes(),
  syncsInserts = false,
  cluster,
}: ServerSettings): string {
  return `<clickhouse>
  <users_config>${escapeXml(usersFile)}</users_config>
  <user_directories><users_xml><path>${escapeXml(usersFile)}</path></users_xml></user_directories>
  <max_server_memory_usage>${memoryBytes}</max_server_memory_usage>
  <max_concurrent_queries>100</max_concurrent_queries>
  <max_connections>500</max_connections>
  <mark_cache_size>67108864</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <compiled_expression_cache_size>16777216</compiled_expression_cache_size>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>2</background_merges_mutations_concurrency_ratio>
  <background_schedule_pool_size>8</background_schedule_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <background_move_pool_size>1</background_move_pool_size>
  <background_fetches_pool_size>1</background_fetches_pool_size>
  <merge_tree>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>1</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
    <fsync_after_insert>${Number(syncsInserts)}</fsync_after_insert>
    <fsync_part_directory>${Number(syncsInserts)}</fsync_part_directory>
  </merge_tree>
  <query_log>
    <database>system</database>
    <table>query_log</table>
    <ttl>event_time + INTERVAL 1 HOUR DELETE</ttl>
    <flush_interval_milliseconds>7500</flush_interval_milliseconds>
    <max_size_rows>10000</max_size_rows>
    <reserved_size_rows>256</reserved_size_rows>
  </query_log>${cluster === undefined ? '' : remoteServers(cluster)}
</clickhouse>
`;
}

/** Servers that each keep a part of the rows. All of them get the same description. */
export type Cluster = {
  name: string;
  /** The servers trust each other by it, so that a query runs as the same user on all of them. */
  secret: string;
  shards: readonly { host: string; tcpPort: number }[];
};

function remoteServers({ name, secret, shards }: Cluster): string {
  const shard = ({ host, tcpPort }: Cluster['shards'][number]): string =>
    `<shard><replica><host>${escapeXml(host)}</host><port>${tcpPort}</port></replica></shard>`;
  return `
  <remote_servers><${name}><secret>${escapeXml(secret)}</secret>${shards.map(shard).join('')}</${name}></remote_servers>`;
}

export type ServerUsers = {
  servicePassword: string;
  sqlPassword: string;
  /** Database of the tables that the confined SQL user may read. */
  database: string;
  /** Each has a row filter. */
  readerTables: readonly string[];
  /** Views over these tables. */
  readerViews: readonly string[];
};

/**
 * Returns the users of the server. The engine keeps no users that SQL creates.
 *
 * `default` runs the statements that make the engine listen, from inside the process and without a password. That
 * session is the only one that the user may have, so that a login as `default` over HTTP or TCP is refused while the
 * server runs. A limit of networks cannot do this, because the session and such logins come from the same address.
 */
export function serverUsers(users: ServerUsers, isPartOfCluster = false): string {
  const { database, readerTables, readerViews } = users;
  const sqlUser = sqlUserName(database);
  // A row filter on a Distributed table has no effect; filters on the tables behind it do.
  const filtered = isPartOfCluster ? readerTables.map(localTable) : readerTables;
  const ofCluster = isPartOfCluster ? [...filtered, shardUsersTable, localTable(shardUsersTable)] : [];
  const granted = [...readerTables, ...ofCluster, ...readerViews];
  const filter = isPartOfCluster ? clusterRowFilter : pageRowFilter;
  return `<clickhouse>
  <profiles>
    <default/>
    <launcher><max_sessions_for_user>1</max_sessions_for_user></launcher>
    <reader>${settings(isPartOfCluster ? clusterSqlUserSettings : sqlUserSettings)}</reader>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/><networks><ip>127.0.0.1</ip></networks><profile>launcher</profile><quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query><query>GRANT SELECT ON system.numbers</query></grants>
    </default>
    <${serviceUserName}>
      ${password(users.servicePassword)}<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
    </${serviceUserName}>
    <${sqlUser}>
      ${password(users.sqlPassword)}<networks><ip>127.0.0.1</ip></networks><profile>reader</profile><quota>default</quota>
      <grants>${granted.map((table) => grant(database, table)).join('')}</grants>
      <databases><${database}>${filtered.map((table) => rowFilter(table, filter)).join('')}</${database}></databases>
    </${sqlUser}>
  </users>
</clickhouse>
`;
}

function settings(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`)
    .join('');
}

function password(text: string): string {
  return `<password_sha256_hex>${createHash('sha256').update(text).digest('hex')}</password_sha256_hex>`;
}

function grant(database: string, table: string): string {
  return `<query>GRANT SELECT ON ${database}.${table}</query>`;
}

function rowFilter(table: string, filter: string): string {
  return `<${table}><filter>${escapeXml(filter)}</filter></${table}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

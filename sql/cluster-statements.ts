import { localTable, shardUsersTable } from '../contract/sql-tables.js';

/** A cluster of ClickHouse servers over which the tables are spread. */
export type ClusterLayout = {
  /** As the servers' `remote_servers` name it. */
  name: string;
  /** Whether the servers of a shard keep copies of its rows. */
  replicated: boolean;
};

const tableForm = /^CREATE TABLE IF NOT EXISTS (\w+)\n\(\n(.*)\n\)\nENGINE = (\w+)(\(\w+\))?(?:\n(.*))?$/s;
const viewForm = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+) AS\n(SELECT\b.*)$/s;
const storing: ReadonlySet<string> = new Set(['MergeTree', 'AggregatingMergeTree', 'ReplacingMergeTree']);

/**
 * What decides, beside the page, on which shard a row is: the first of these columns that a table has. A page's
 * traffic is thus spread by endpoint, and all of a monitor's or a process's rows are together.
 */
const shardingColumns = ['endpoint', 'monitor_id', 'session', 'service'] as const;

/** Tokens are remembered for as long as a block may wait for a lost shard and a person. */
const rememberedSeconds = 30 * 24 * 3_600;

/**
 * What a statement of a migration becomes on each server of a cluster: a table `x` is `x_local`, which holds the
 * server's own rows, and `x`, which is all of them; a view reads and fills local tables, so that it runs where a
 * row of `landing` arrives.
 *
 * @throws Error for a statement of another form. Nothing is guessed: a migration with one needs it added here.
 */
export function toClusterStatements(statement: string, layout: ClusterLayout): string[] {
  const table = tableForm.exec(statement);
  if (table !== null) return tableStatements(table, layout);
  const view = viewForm.exec(statement);
  if (view !== null) return [viewStatement(view)];
  throw notUnderstood(statement, 'its form is not known');
}

/** Made before the migrations on each server: who it is that queries of this cluster run as on the others. */
export function shardUserStatements({ name }: ClusterLayout): string[] {
  const local = localTable(shardUsersTable);
  return [
    `CREATE VIEW IF NOT EXISTS ${local} AS SELECT currentUser() AS user FROM system.one`,
    `CREATE TABLE IF NOT EXISTS ${shardUsersTable} (user String COMMENT 'User as whom a server runs the query')
ENGINE = Distributed('${name}', currentDatabase(), ${local})
COMMENT 'One row for each shard'`,
  ];
}

function tableStatements(parts: RegExpExecArray, { name: cluster, replicated }: ClusterLayout): string[] {
  const [statement, name = '', columns = '', engine = '', version = '', rest = ''] = parts;
  const local = localTable(name);
  const key = shardingKeyOf(statement, columns, rest);
  const comment = /^COMMENT '(?:[^'\\]|'')*'$/m.exec(rest)?.[0];
  if (comment === undefined) throw notUnderstood(statement, 'it has no comment');
  return [
    `CREATE TABLE IF NOT EXISTS ${local}\n(\n${columns}\n)\n${localEngine(statement, engine, version, cluster, replicated)}\n${localSettings(rest, replicated)}`,
    `CREATE TABLE IF NOT EXISTS ${name} AS ${local}\nENGINE = Distributed('${cluster}', currentDatabase(), ${local}, ${key})\n${comment}`,
  ];
}

/** Rows of one sorting key must be on one shard, or neither merges nor FINAL would bring them together. */
function shardingKeyOf(statement: string, columns: string, rest: string): string {
  const names = new Set([...columns.matchAll(/^ {4}(\w+) /gm)].map(([, column]) => column));
  const column = shardingColumns.find((known) => names.has(known));
  if (column === undefined || !names.has('page_id')) {
    throw notUnderstood(statement, `it has no page_id with one of ${shardingColumns.join(', ')}`);
  }
  const [, sorting] = /^ORDER BY \(([\w, ]+)\)$/m.exec(rest) ?? [];
  const sorted = sorting?.split(', ') ?? ['page_id', column];
  if (!sorted.includes('page_id') || !sorted.includes(column)) {
    throw notUnderstood(statement, `it is not sorted by page_id and ${column}`);
  }
  return `cityHash64(page_id, ${column})`;
}

function localEngine(
  statement: string,
  engine: string,
  version: string,
  cluster: string,
  replicated: boolean,
): string {
  if (engine === 'Null') return 'ENGINE = Null';
  if (!storing.has(engine)) throw notUnderstood(statement, `the engine ${engine} is not known`);
  if (!replicated) return `ENGINE = ${engine}${version}`;
  const versionArgument = version === '' ? '' : `, ${version.slice(1, -1)}`;
  return `ENGINE = Replicated${engine}('/clickhouse/tables/${cluster}/{shard}/{database}/{table}', '{replica}'${versionArgument})`;
}

function localSettings(rest: string, replicated: boolean): string {
  if (!replicated) return rest;
  return rest.replace(
    /\bnon_replicated_deduplication_window = (\d+)/,
    `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${rememberedSeconds}`,
  );
}

function viewStatement([statement, name = '', target = '', select = '']: RegExpExecArray): string {
  const sources = [...select.matchAll(/\b(FROM|JOIN)\b/gi)];
  const source = /^(?:FROM|.* FROM) (\w+)( AS \w+)?(\n|$)/m.exec(select);
  if (sources.length !== 1 || source === null) throw notUnderstood(statement, 'it reads more than one table');
  const localSelect = select.replace(/\bFROM (\w+)/, (_, table: string) => `FROM ${localTable(table)}`);
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} TO ${localTable(target)} AS\n${localSelect}`;
}

function notUnderstood(statement: string, why: string): Error {
  return new Error(
    `sql/cluster-statements.ts cannot bring this statement to a cluster, since ${why}: ${statement.slice(0, 80)}…`,
  );
}

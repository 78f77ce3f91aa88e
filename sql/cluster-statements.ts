import { localTable, shardUsersTable } from '../contract/sql-tables.js';

/** A cluster of ClickHouse servers over which the tables are spread. */
export type ClusterLayout = {
  /** Name of the cluster in the `remote_servers` of the servers. */
  name: string;
  /** Whether the servers of a shard keep copies of the same rows. */
  replicated: boolean;
};

const tableForm = /^CREATE TABLE IF NOT EXISTS (\w+)\n\(\n(.*)\n\)\nENGINE = (\w+)(\(\w+\))?(?:\n(.*))?$/s;
const columnForm = /^ALTER TABLE (\w+)\n {4}(ADD COLUMN IF NOT EXISTS \w+ .*)$/s;
const fillForm = /^INSERT INTO (\w+)\n(SELECT\b.*)$/s;
const keepForm = /^ALTER TABLE (\w+) ((?:MODIFY SETTING|MODIFY TTL|MATERIALIZE TTL)\b.*)$/;
const viewForm = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+) AS\n(SELECT\b.*)$/s;
const readForm = /^CREATE VIEW IF NOT EXISTS sql_\w+ SQL SECURITY INVOKER AS\nSELECT\b.*$/s;
const dropForm = /^DROP VIEW IF EXISTS \w+$/;
const storing: ReadonlySet<string> = new Set(['MergeTree', 'AggregatingMergeTree', 'ReplacingMergeTree']);

/**
 * Page and the first of these columns that a table has decide on which shard a row is. They spread the traffic of a page
 * by endpoint, and keep all rows of a monitor or of a process together.
 */
const shardingColumns = ['endpoint', 'monitor_id', 'session', 'service', 'method', 'id'] as const;

/** How long tokens are remembered: as long as a block may wait for a lost shard and for the person who repairs it. */
const rememberedSeconds = 30 * 24 * 3_600;

/**
 * Translates a statement of a migration for each server of a cluster. A table `x` becomes `x_local`, which holds the rows
 * of the server, and `x`, which gives the rows of all servers. A view reads and fills local tables, so that it runs on
 * the server where a row of `landing` arrives. A column is added to the local table first, so that `x` never names one
 * that is not there. How long rows are kept is changed in the local table alone. A row that a migration inserts is of the
 * server, from what it has itself: another server may get its tables later. A view that only reads has one name on every
 * server, and reads the table over all shards; a dropped view has one name on every server, too.
 *
 * @throws Error for a statement of an unknown form. A migration that needs a new form must add it here.
 */
export function toClusterStatements(statement: string, layout: ClusterLayout): string[] {
  const table = tableForm.exec(statement);
  if (table !== null) return tableStatements(table, layout);
  const view = viewForm.exec(statement);
  if (view !== null) return [viewStatement(view)];
  if (readForm.test(statement)) return [readingStatement(statement)];
  if (dropForm.test(statement)) return [statement];
  const [, altered, addition] = columnForm.exec(statement) ?? [];
  if (altered !== undefined) {
    return [localTable(altered), altered].map((table) => `ALTER TABLE ${table}\n    ${addition}`);
  }
  const [, kept, change] = keepForm.exec(statement) ?? [];
  // A table over all shards has no rows of its own to keep.
  if (kept !== undefined) return [`ALTER TABLE ${localTable(kept)} ${change}`];
  const [, filled, select] = fillForm.exec(statement) ?? [];
  if (filled !== undefined) return [`INSERT INTO ${localTable(filled)}\n${readingLocal(select ?? '')}`];
  throw notUnderstood(statement, 'its form is not known');
}

/** Statements to run on each server before the migrations; they tell the user as whom each shard runs a query. */
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
  // Rows that are of no page are those of a server, which only migrations insert.
  const key = /^ {4}page_id /m.test(columns) ? `, ${shardingKeyOf(statement, columns, rest)}` : '';
  const comment = /^COMMENT '(?:[^'\\]|'')*'$/m.exec(rest)?.[0];
  if (comment === undefined) throw notUnderstood(statement, 'it has no comment');
  return [
    `CREATE TABLE IF NOT EXISTS ${local}\n(\n${columns}\n)\n${localEngine(statement, engine, version, cluster, replicated)}\n${localSettings(rest, replicated)}`,
    `CREATE TABLE IF NOT EXISTS ${name} AS ${local}\nENGINE = Distributed('${cluster}', currentDatabase(), ${local}${key})\n${comment}`,
  ];
}

/** Rows of one sorting key must be on one shard; otherwise neither merges nor FINAL bring them together. */
function shardingKeyOf(statement: string, columns: string, rest: string): string {
  const names = new Set([...columns.matchAll(/^ {4}(\w+) /gm)].map(([, column]) => column));
  const column = shardingColumns.find((known) => names.has(known));
  if (column === undefined) {
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
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} TO ${localTable(target)} AS\n${readingLocal(select)}`;
}

/** Each shard merges its rows of a key, and no key is on two of them. */
function readingStatement(statement: string): string {
  const sources = [...statement.matchAll(/\b(FROM|JOIN)\b/gi)];
  if (sources.length !== 1) throw notUnderstood(statement, 'it reads more than one table');
  if (!/^FROM \w+ FINAL$/m.test(statement))
    throw notUnderstood(statement, 'it does not read a table with FINAL');
  return statement;
}

function readingLocal(select: string): string {
  return select.replaceAll(/\bFROM (\w+)/g, (_, table: string) => `FROM ${localTable(table)}`);
}

function notUnderstood(statement: string, why: string): Error {
  return new Error(
    `sql/cluster-statements.ts cannot translate this statement for a cluster, because ${why}: ${statement.slice(0, 80)}…`,
  );
}

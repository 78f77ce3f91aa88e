import { createHash } from 'node:crypto';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import {
  clusterRowFilter,
  clusterSqlUserSettings,
  localTable,
  pageRowFilter,
  readableTables,
  shardUsersTable,
  sqlUserName,
  sqlUserSettings,
} from '../contract/sql-tables.js';

export type SqlUser = {
  /** Database of the readable tables; in letters, digits and underscores. */
  database: string;
  password: string;
  /** Whether the tables are spread over a cluster; each of its servers needs the user. */
  onCluster?: boolean;
};

/** The confined user could not be made; its message is one sentence for the operator. */
export class ConfineError extends Error {
  override name = 'ConfineError';
}

/** ACCESS_DENIED, and ACCESS_STORAGE_READONLY: the server keeps its users in files. */
const refused: ReadonlySet<string> = new Set(['497', '495', '514']);

/**
 * Makes the ClickHouse user that runs the SQL of pages, with its settings, grants and row filters, or brings it
 * up to date. For servers of an operator's own; the embedded server has it in its users file.
 *
 * @throws ConfineError when the service's user may not manage users: docs/sql.md has the statements for someone
 *   who may.
 */
export async function confineSqlUser(
  { clickhouse }: { clickhouse: ClickHouseClient },
  user: SqlUser,
): Promise<void> {
  for (const query of confineStatements(user)) {
    try {
      await clickhouse.command({ query });
    } catch (error) {
      if (!(error instanceof ClickHouseError) || !refused.has(error.code)) throw error;
      throw new ConfineError(
        `The ClickHouse user of the service may not make the user ${sqlUserName(user.database)}; have an administrator run the statements of docs/sql.md, or SQL for pages stays unavailable.`,
        { cause: error },
      );
    }
  }
}

/** The statements, in their order; each may be run again. */
export function confineStatements({ database, password, onCluster = false }: SqlUser): string[] {
  if (!/^\w+$/.test(database))
    throw new ConfineError('The name of the ClickHouse database must be letters, digits and underscores.');
  const name = sqlUserName(database);
  // The hash, because statements end up in the server's query log.
  const identified = `IDENTIFIED WITH sha256_hash BY '${createHash('sha256').update(password).digest('hex')}'`;
  const settings = Object.entries(onCluster ? clusterSqlUserSettings : sqlUserSettings).map(
    ([setting, value]) => `${setting} = ${typeof value === 'number' ? value : `'${value}'`}`,
  );
  // A row filter of a Distributed table does nothing: those of the tables behind it do.
  const filtered = onCluster ? readableTables.map(localTable) : readableTables;
  const granted = onCluster
    ? [...readableTables, ...filtered, shardUsersTable, localTable(shardUsersTable)]
    : readableTables;
  const filter = onCluster ? clusterRowFilter : pageRowFilter;
  return [
    // The filters come first: without them a grant would show every page's rows.
    `CREATE USER IF NOT EXISTS ${name} ${identified}`,
    `ALTER USER ${name} ${identified} SETTINGS ${settings.join(', ')}`,
    ...filtered.map(
      (table) =>
        `CREATE ROW POLICY OR REPLACE ${name}_page ON ${database}.${table} FOR SELECT USING ${filter} TO ${name}`,
    ),
    ...granted.map((table) => `GRANT SELECT ON ${database}.${table} TO ${name}`),
  ];
}

import { createHash } from 'node:crypto';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import {
  clusterRowFilter,
  clusterSqlUserSettings,
  filteredTables,
  grantedViews,
  localTable,
  pageRowFilter,
  shardUsersTable,
  sqlUserName,
  sqlUserSettings,
} from '../contract/sql-tables.js';

export type SqlUser = {
  /** Database of the readable tables: letters, digits and underscores. */
  database: string;
  password: string;
  /** Whether the tables are spread over a cluster, each server of which needs the user. */
  onCluster?: boolean;
};

/** The confined user could not be created. The message is for the operator. */
export class ConfineError extends Error {
  override name = 'ConfineError';
}

/** ACCESS_DENIED; ACCESS_STORAGE_READONLY when the server keeps its users in files. */
const refused: ReadonlySet<string> = new Set(['497', '495', '514']);

/**
 * Creates or updates the ClickHouse user that runs the SQL of pages, with its settings, grants and row filters. This is
 * for servers of the operator; the embedded server has the user in its users file.
 *
 * @throws ConfineError when the user of the service may not manage users; docs/sql.md has the statements for an
 *   administrator.
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
        `The ClickHouse user of the service may not create the user ${sqlUserName(user.database)}, and SQL for pages is unavailable. Have an administrator run the statements of /docs/sql of the service.`,
        { cause: error },
      );
    }
  }
}

/** Returns the statements in the order in which they must run. Each can be repeated. */
export function confineStatements({ database, password, onCluster = false }: SqlUser): string[] {
  if (!/^\w+$/.test(database))
    throw new ConfineError(
      'The name of the ClickHouse database must consist of letters, digits and underscores.',
    );
  const name = sqlUserName(database);
  // The hash and not the password, because statements get into the query log of the server.
  const identified = `IDENTIFIED WITH sha256_hash BY '${createHash('sha256').update(password).digest('hex')}'`;
  const settings = Object.entries(onCluster ? clusterSqlUserSettings : sqlUserSettings).map(
    ([setting, value]) => `${setting} = ${typeof value === 'number' ? value : `'${value}'`}`,
  );
  // A row filter on a Distributed table has no effect; filters on the tables behind it do.
  const filtered = onCluster ? filteredTables.map(localTable) : filteredTables;
  const ofCluster = onCluster ? [...filtered, shardUsersTable, localTable(shardUsersTable)] : [];
  const granted = [...filteredTables, ...ofCluster, ...grantedViews];
  const filter = onCluster ? clusterRowFilter : pageRowFilter;
  return [
    // The filters come first: without them a grant would show the rows of every page.
    `CREATE USER IF NOT EXISTS ${name} ${identified}`,
    `ALTER USER ${name} ${identified} SETTINGS ${settings.join(', ')}`,
    ...filtered.map(
      (table) =>
        `CREATE ROW POLICY OR REPLACE ${name}_page ON ${database}.${table} FOR SELECT USING ${filter} TO ${name}`,
    ),
    ...granted.map((table) => `GRANT SELECT ON ${database}.${table} TO ${name}`),
  ];
}

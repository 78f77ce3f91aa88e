import type { Config } from '../service/config.js';

/** @throws Error when a store is not the embedded one: only the files of that one are within reach. */
export function assertEmbedded({ databaseUrl, clickhouseUrl }: Config): void {
  const external = [
    ...(databaseUrl === undefined ? [] : ['DATABASE_URL (use pg_dump and pg_restore)']),
    ...(clickhouseUrl === undefined ? [] : ['CLICKHOUSE_URL (use BACKUP DATABASE and RESTORE DATABASE)']),
  ];
  if (external.length > 0) {
    throw new Error(
      `This is for the embedded stores, and the environment sets ${external.join(' and ')}; docs/backup.md has the commands.`,
    );
  }
}

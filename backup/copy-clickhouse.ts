import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { freezeName, frozenFolder } from '../stack/clickhouse-config.js';
import { type CopiedFile, type CopyOptions, copyFiles, type FileToCopy, listTree } from './copy-files.js';
import { BackupError } from './errors.js';
import { holdInserts } from './hold-inserts.js';

export type ClickHouseCopy = {
  files: CopiedFile[];
  /** For how long inserts waited, in milliseconds. */
  heldMs: number;
};

type Table = { name: string; engine: string; metadata: string; folder: string };

/** Folder of the copy within a backup. */
const place = 'clickhouse';

/**
 * Copies the tables of the embedded ClickHouse as they are at one moment, by links that the engine makes to its files.
 * Inserts wait only while the links are made. The copy includes the logs of deduplication tokens of that moment, and the
 * parts keep their names, to which the logs refer: a block that PostgreSQL still has to deliver is not counted twice
 * after a restore. BACKUP TO File leaves those logs out, and RESTORE gives the parts other names.
 */
export async function copyClickHouse(
  clickhouse: ClickHouseClient,
  dataFolder: string,
  options: CopyOptions,
): Promise<ClickHouseCopy> {
  const copyOf = (path: string): FileToCopy => ({ from: join(dataFolder, path), to: `${place}/${path}` });
  const frozen = join(dataFolder, frozenFolder);
  try {
    const { tables, database } = await loadTables(clickhouse);
    const stored = tables.filter(({ engine }) => engine.endsWith('MergeTree'));
    const { result: logs, heldMs } = await holdInserts(clickhouse, async () => {
      // A backup that was killed, or an attempt that took too long, leaves files.
      for (const old of [frozen, join(options.directory, place)])
        await rm(old, { recursive: true, force: true });
      await freeze(clickhouse, stored);
      const besideParts = await Promise.all(stored.map(({ folder }) => filesBesideParts(dataFolder, folder)));
      return copyWhole(besideParts.flat().map(copyOf), options);
    });
    const parts = (await listTree(frozen)).files.map((path) => ({
      from: join(frozen, path),
      to: `${place}/${path}`,
    }));
    const definitions = [`metadata/${database}.sql`, ...tables.map(({ metadata }) => metadata)];
    const files = await copyWhole([...parts, ...definitions.map(copyOf)], options);
    return { files: [...logs, ...files], heldMs };
  } finally {
    await rm(frozen, { recursive: true, force: true });
  }
}

async function loadTables(clickhouse: ClickHouseClient): Promise<{ tables: Table[]; database: string }> {
  const answer = await clickhouse.query({
    query: `
      SELECT name, engine, metadata_path AS metadata, currentDatabase() AS own_database,
             concat('store/', substring(toString(uuid), 1, 3), '/', toString(uuid)) AS folder
      FROM system.tables WHERE database = currentDatabase()`,
    format: 'JSONEachRow',
  });
  const tables = await answer.json<Table & { own_database: string }>();
  const [first] = tables;
  if (first === undefined) throw new BackupError('ClickHouse has no tables yet; start the service once.');
  return { tables, database: first.own_database };
}

async function freeze(clickhouse: ClickHouseClient, tables: readonly Table[]): Promise<void> {
  await Promise.all(
    tables.map(({ name }) =>
      clickhouse.command({ query: `ALTER TABLE ${name} FREEZE WITH NAME '${freezeName}'` }),
    ),
  );
}

/** Returns the files of a table's folder and of its log of tokens, without its parts, which are folders. */
async function filesBesideParts(dataFolder: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(dataFolder, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
  const logs = await listTree(join(dataFolder, folder, 'deduplication_logs'));
  return [...files, ...logs.files.map((name) => `${folder}/deduplication_logs/${name}`)];
}

/** @throws BackupError when one of the files does not exist any more. */
async function copyWhole(files: readonly FileToCopy[], options: CopyOptions): Promise<CopiedFile[]> {
  const copied = await copyFiles(files, options);
  if (copied.length !== files.length) {
    throw new BackupError('ClickHouse was restarted while it was copied; make the backup again.');
  }
  return copied;
}

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { freezeName, frozenFolder } from '../stack/clickhouse-freeze.js';
import { type CopiedFile, type CopyOptions, copyFiles, type FileToCopy, listTree } from './copy-files.js';
import { BackupError } from './errors.js';
import { holdInserts } from './hold-inserts.js';

export type ClickHouseCopy = {
  files: CopiedFile[];
  /** How long inserts waited. */
  heldMs: number;
};

type Table = { name: string; engine: string; metadata: string; folder: string };

/** Folder of the copy within a backup. */
const place = 'clickhouse';

/**
 * Copies the tables of the embedded ClickHouse at one moment, by links that the engine makes to its files; inserts wait
 * for the links alone. The logs of deduplication tokens go along, as they are at that moment, and the parts keep their
 * names, which the logs refer to: a block that PostgreSQL still has to deliver is not counted twice after a restore.
 * BACKUP TO File would leave those logs out, and RESTORE give the parts other names.
 */
export async function copyClickHouse(
  clickhouse: ClickHouseClient,
  dataFolder: string,
  options: CopyOptions,
): Promise<ClickHouseCopy> {
  const copyOf = (path: string): FileToCopy => ({ from: join(dataFolder, path), to: `${place}/${path}` });
  const frozen = join(dataFolder, frozenFolder);
  try {
    const { tables, database } = await readTables(clickhouse);
    const stored = tables.filter(({ engine }) => engine.endsWith('MergeTree'));
    const { result: logs, heldMs } = await holdInserts(clickhouse, async () => {
      // A backup that was killed, or an attempt that took too long, leaves some.
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

async function readTables(clickhouse: ClickHouseClient): Promise<{ tables: Table[]; database: string }> {
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

/** What a table's folder has besides its parts, which are folders, too: files, and the log of tokens. */
async function filesBesideParts(dataFolder: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(dataFolder, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
  const logs = await listTree(join(dataFolder, folder, 'deduplication_logs'));
  return [...files, ...logs.files.map((name) => `${folder}/deduplication_logs/${name}`)];
}

/** None of these may be gone. */
async function copyWhole(files: readonly FileToCopy[], options: CopyOptions): Promise<CopiedFile[]> {
  const copied = await copyFiles(files, options);
  if (copied.length !== files.length) {
    throw new BackupError('ClickHouse was restarted while it was copied; make the backup again.');
  }
  return copied;
}

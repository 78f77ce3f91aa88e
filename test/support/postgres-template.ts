import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { migratePostgres } from '../../sql/migrate.js';
import { readMigrations } from '../../sql/migration-files.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { StackError } from '../../stack/errors.js';
import { lockFolder } from '../../stack/lock.js';
import { startPostgres } from '../../stack/postgres.js';
import { silentLog } from './silent-log.js';
import { waitUntil } from './wait-until.js';

/** Under dist/, so that a fresh build folder has none. */
const templates = new URL('../../.postgres-templates/', import.meta.url);

/** What the store has of the schema. */
export type TemplateKind = 'empty' | 'migrated';

/**
 * The folder of a store that was started once and stopped. A first start takes 3 s and the migrations 0.3 s, a
 * start from a copy 0.5 s; so the first of the test files that run in parallel makes one, and all start from it.
 */
export async function postgresTemplate(kind: TemplateKind): Promise<string> {
  const template = fileURLToPath(new URL(`${kind}-${await fingerprint(kind)}`, templates));
  await waitUntil(
    'the template is there',
    () => existsSync(template) || makeTemplate(kind, template),
    90_000,
  );
  return template;
}

/** Answers false while another process makes it. */
async function makeTemplate(kind: TemplateKind, template: string): Promise<boolean> {
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
    const server = await startPostgres({ dir: draft, shortLived: true, log: silentLog });
    try {
      if (kind === 'migrated') await applyMigrations(server.url);
    } finally {
      await server.stop();
    }
    await rename(draft, template);
    return true;
  } finally {
    await unlock();
  }
}

async function applyMigrations(url: string): Promise<void> {
  const sql = openPostgres(url);
  try {
    await migratePostgres({ sql, log: silentLog });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Another version of PGlite, of the code that starts it, or of a migration makes another template. */
async function fingerprint(kind: TemplateKind): Promise<string> {
  const hash = createHash('sha256');
  if (kind === 'migrated') {
    for (const { name, checksum } of await readMigrations('postgres')) hash.update(`${name} ${checksum}`);
  }
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  hash.update(await readFile(new URL('../package.json', `file://${entry}`)));
  const stack = new URL('../../stack/', import.meta.url);
  const sources = (await readdir(stack)).filter((name) => name.endsWith('.js')).sort();
  for (const name of sources) hash.update(await readFile(new URL(name, stack)));
  return hash.digest('hex').slice(0, 16);
}

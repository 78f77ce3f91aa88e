import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { StackError } from '../../stack/errors.js';
import { lockFolder } from '../../stack/lock.js';
import { startPostgres } from '../../stack/postgres.js';
import { silentLog } from './silent-log.js';
import { waitUntil } from './wait-until.js';

/** Under dist/, so that a fresh build folder has none. */
const templates = new URL('../../.postgres-templates/', import.meta.url);

/**
 * The folder of a store that was started once and stopped. A first start takes 3 s, one from a copy 0.5 s; so
 * the first of the test files that run in parallel makes one, and all start from it.
 */
export async function postgresTemplate(): Promise<string> {
  const template = fileURLToPath(new URL(await fingerprint(), templates));
  await waitUntil('the template is there', () => existsSync(template) || makeTemplate(template), 90_000);
  return template;
}

/** Answers false while another process makes it. */
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
    const server = await startPostgres({ dir: draft, shortLived: true, log: silentLog });
    await server.stop();
    await rename(draft, template);
    return true;
  } finally {
    await unlock();
  }
}

/** Another version of PGlite, or of the code that starts it, makes another template. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  hash.update(await readFile(new URL('../package.json', `file://${entry}`)));
  const stack = new URL('../../stack/', import.meta.url);
  const sources = (await readdir(stack)).filter((name) => name.endsWith('.js')).sort();
  for (const name of sources) hash.update(await readFile(new URL(name, stack)));
  return hash.digest('hex').slice(0, 16);
}

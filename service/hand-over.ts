import { join } from 'node:path';
import { createSetupLink, needsSetUp, setupPath } from '../control/people/index.js';
import { systemClock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { openPostgres } from '../sql/open-postgres.js';
import { errorCode } from '../stack/errors.js';
import { writePrivateFile } from '../stack/files.js';
import type { Config } from './config.js';
import { type Demo, type HandedDemo, type HandedLink, keyLines, type Welcome } from './demo-page.js';

/** Files of the data folder with the secrets that a terminal would show. */
export const handedFiles = { setupLink: 'setup-link', keys: 'first-keys' } as const;

type HandOver = {
  databaseUrl: string;
  /** The address of the service. */
  url: string;
  /** The page and the keys of a first start. */
  demo: Demo | undefined;
  /** Whether a person sees what the start prints. */
  isTerminal: boolean;
  /** Whether this instance answers requests, and so the link. */
  answers: boolean;
  log: Log;
};

/**
 * Makes the link for the first admin, and decides how the link and the keys of a first start reach a person. What a
 * terminal shows is gone with it. Other output becomes a log, which more people read and which is kept, so the secrets
 * go into files of mode 0600 in the data folder. An installation without a data folder, or with one that cannot be
 * written, gets the command that makes a link.
 */
export async function handOver(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'clickhouseUrl'> & { hasLog: boolean },
  { databaseUrl, url, demo, isTerminal, answers, log }: HandOver,
): Promise<Pick<Welcome, 'setUp' | 'demo'>> {
  if (isTerminal) {
    const link = answers ? await makeSetupUrl(databaseUrl, url) : undefined;
    return { setUp: link === undefined ? undefined : { url: link }, demo };
  }
  const write = usesDataFolder(config) ? createWrite(config.dataDir, log) : undefined;
  return {
    setUp: answers ? await handLink(databaseUrl, url, write) : undefined,
    demo: demo && { ...demo, keys: await handKeys(demo, write) },
  };
}

async function handKeys({ keys }: Demo, write: Write | undefined): Promise<HandedDemo['keys']> {
  const file = await write?.(handedFiles.keys, keyLines(keys));
  return file === undefined ? 'command' : { file };
}

async function handLink(
  databaseUrl: string,
  url: string,
  write: Write | undefined,
): Promise<HandedLink | undefined> {
  if (write === undefined) return (await isWithoutAdmin(databaseUrl)) ? 'command' : undefined;
  const link = await makeSetupUrl(databaseUrl, url);
  if (link === undefined) return undefined;
  const file = await write(handedFiles.setupLink, `${link}\n`);
  return file === undefined ? 'command' : { file };
}

async function isWithoutAdmin(databaseUrl: string): Promise<boolean> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    return await needsSetUp({ sql });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Without an embedded store and a log, an instance writes no file, and may have no disk. */
function usesDataFolder({
  hasLog,
  databaseUrl,
  clickhouseUrl,
}: Pick<Config, 'databaseUrl' | 'clickhouseUrl'> & { hasLog: boolean }) {
  return hasLog || databaseUrl === undefined || clickhouseUrl === undefined;
}

/** Returns the path of the file; `undefined` when the folder takes none, which the log says. */
type Write = (name: string, text: string) => Promise<string | undefined>;

function createWrite(folder: string, log: Log): Write {
  return async (name, text) => {
    const path = join(folder, name);
    try {
      await writePrivateFile(path, text);
      return path;
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      log.warn({ file: path, code }, 'The file cannot be written; the start names a command in its place.');
      return undefined;
    }
  };
}

/**
 * Makes a link that creates the first admin, for the operator who sees what the start prints. Returns `undefined` when
 * there is one. `url` is the address of the service.
 */
export async function makeSetupUrl(databaseUrl: string, url: string): Promise<string | undefined> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const link = await createSetupLink({ sql, clock: systemClock });
    return link && new URL(setupPath(link.token), url).href;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

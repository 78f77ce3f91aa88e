import { spawn } from 'node:child_process';
import { chown, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, StackError } from '../errors.js';
import { exists, readFileIfAny } from '../files.js';
import type { Binaries } from './binaries.js';
import { asNamedUser, withoutName } from './nameless-user.js';
import { asUser, explainNoRun, rootIsConfined, serverUser } from './server-user.js';

/** Major version of the packages; a folder of another one does not start. */
const majorVersion = '18';
const outputCharactersMax = 4_096;
const unfinished = 'data.new';

export const serverAccount = { user: 'heartline', database: 'postgres' } as const;

/**
 * Creates the data folder of a server in `dir` unless it exists, with the password in `passwordFile` for its user.
 * `initdb` forces it to the disk and works under another name, because an incomplete folder would never start.
 *
 * @throws StackError when the folder cannot be created, or belongs to another kind or version of PostgreSQL.
 */
export async function prepareDataFolder(
  dir: string,
  binaries: Binaries,
  passwordFile: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(dir, 'data');
  try {
    if (await exists(folder)) return await assertOurs(folder);
    await makeDataFolder(dir, binaries, passwordFile, signal);
    await rename(join(dir, unfinished), folder);
  } catch (error) {
    const code = errorCode(error);
    if (process.getuid?.() !== 0 || (code !== 'EPERM' && code !== 'EACCES')) throw error;
    throw new StackError(rootIsConfined(code), { cause: error });
  }
}

async function makeDataFolder(
  dir: string,
  binaries: Binaries,
  passwordFile: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(dir, unfinished);
  await rm(folder, { recursive: true, force: true });
  const user = await serverUser(folder);
  await mkdir(folder, { mode: 0o700 });
  if (user !== undefined) await chown(folder, user, user);
  await runInitdb(user, folder, { binaries, passwordFile, signal });
}

async function runInitdb(
  user: number | undefined,
  folder: string,
  { binaries, passwordFile, signal }: { binaries: Binaries; passwordFile: string; signal: AbortSignal },
): Promise<void> {
  const named = user === undefined ? await asNamedUser() : [];
  const [program = '', ...args] = [...named, ...asUser(user, binaries.initdb)];
  const options = [
    ...['--pgdata', folder, '--username', serverAccount.user, '--pwfile', passwordFile],
    '--auth=scram-sha-256',
    // The password is random. To hash it 4,096 times protects nothing, and takes each connection 5 ms.
    ...['--set', 'scram_iterations=1'],
    '--no-instructions',
    // Text sorts by code points on every machine, whatever its locales are, and letters have upper and lower case.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ];
  const child = spawn(program, [...args, ...options], {
    cwd: '/',
    env: { ...binaries.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-outputCharactersMax);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      said += `${error.message}\n`;
      resolve(null);
    });
    child.once('close', resolve);
  });
  if (code === 0) return;
  if (named.length > 0) throw withoutName(said);
  throw (
    explainNoRun(user, said) ?? new StackError(`PostgreSQL could not create ${folder}: ${reasonIn(said)}`)
  );
}

/** Returns the first complaint in what a program of PostgreSQL wrote, without time, process and level. */
export function reasonIn(said: string): string {
  const complaints = /^(?:.*?(?:FATAL|PANIC|ERROR|error):|initdb:|postgres:) *(.+)$/m.exec(said);
  const detail = /DETAIL: *(.+)$/m.exec(said)?.[1];
  const first = complaints?.[1] ?? said.trim().split('\n').at(-1) ?? '';
  if (first === '') return 'it gave no reason.';
  return detail === undefined ? first : `${first} (${detail.replace(/\.$/, '')})`;
}

async function assertOurs(folder: string): Promise<void> {
  const version = (await readFileIfAny(join(folder, 'PG_VERSION')))?.trim();
  if (version !== majorVersion) {
    throw new StackError(
      `${folder} is of PostgreSQL ${version ?? 'an unknown version'}, and this version of Heartline runs ${majorVersion}. Make a backup with the Heartline that made it, and restore that into an empty folder; see /docs/backup of the service.`,
    );
  }
  const settings = (await readFileIfAny(join(folder, 'postgresql.conf'))) ?? '';
  if (!settings.includes('listen_addresses')) throw madeByPglite(folder);
}

/** The WebAssembly build of PostgreSQL stores types in other sizes. Its settings are two lines, unlike the settings of initdb. */
export function madeByPglite(folder: string): StackError {
  return new StackError(
    `${folder} was made by PGlite, which earlier versions of Heartline embedded, and PostgreSQL cannot read it. Move the folder away to begin anew, or set DATABASE_URL.`,
  );
}

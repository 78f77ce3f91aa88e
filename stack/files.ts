import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, StackError } from './errors.js';

/** Enough that a full disk, which still takes names of empty files, refuses it. */
const probeBytes = 64 * 1024;

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'the system does not let this user change it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's share of the disk is used up",
  ENOTDIR: 'a file is in the way',
  EEXIST: 'a file is in the way',
  ENOENT: 'no folder can be created there',
  ENAMETOOLONG: 'the path is too long',
};

/**
 * Creates a folder that only its owner can enter, and its parents. One of another user that this user may write keeps its
 * mode: OpenShift gives a container a random user and a volume that its group may write. What is created in it is private
 * all the same.
 *
 * @throws StackError when it cannot be written, or its owner cannot close it to others.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    if (await isOwn(path)) await closeToOthers(path);
    const probe = temporaryName(`${path}/writable`);
    try {
      await writeFile(probe, Buffer.alloc(probeBytes), { mode: 0o600 });
    } finally {
      await rm(probe, { force: true });
    }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const reason = reasons[code] === undefined ? code : `${reasons[code]} (${code})`;
    if (error instanceof StackError) throw error;
    throw new StackError(
      `The folder ${path} cannot be written: ${reason}. Correct that, or choose another folder with HEARTLINE_DATA_DIR.`,
      { cause: error },
    );
  }
}

/** Root may change what belongs to anybody. On Windows everything is one's own. */
async function isOwn(path: string): Promise<boolean> {
  const user = process.geteuid?.();
  return user === undefined || user === 0 || (await stat(path)).uid === user;
}

/** A folder that exists already may be open to others. */
async function closeToOthers(path: string): Promise<void> {
  try {
    await chmod(path, 0o700);
  } catch (error) {
    throw new StackError(
      `The mode of the folder ${path} cannot be changed to 0700 (${errorCode(error) ?? 'unknown error'}), and others could read the data in it. Choose a folder on another file system with HEARTLINE_DATA_DIR, or mount this one with permissions.`,
      { cause: error },
    );
  }
}

/**
 * Creates a folder that only its owner can enter, and its parents. A folder that exists stays as it is. Unlike `mkdir`
 * with `recursive`, which tries without end below /proc, it throws the error of the system. Returns the folders that it
 * has created.
 */
export async function makeFolder(path: string): Promise<string[]> {
  try {
    await mkdir(path, { mode: 0o700 });
    return [path];
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await stat(path)).isDirectory()) return [];
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || (await exists(parent))) throw error;
    return [...(await makeFolder(parent)), ...(await makeFolder(path))];
  }
}

/**
 * Writes a file that has mode 0600 from the beginning. A reader sees the old text or the new one, never a part. When it
 * fails, no copy of the text stays.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Creates a file of mode 0600 with its whole text at once. Returns false, and changes nothing, when the file exists. */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Whether a file or folder exists at a path that this process can reach. */
export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** Returns the text of a file; `undefined` when the file does not exist. */
export async function readFileIfAny(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the secret in a file. The first call creates it: 32 random bytes as 43 base64url characters. */
export async function keepSecret(path: string): Promise<string> {
  await createPrivateFile(path, randomBytes(32).toString('base64url'));
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret.length < 32) {
    throw new StackError(`The file ${path} does not hold a secret; put it back from a backup or delete it.`);
  }
  return secret;
}

function temporaryName(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
}

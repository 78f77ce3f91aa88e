import { randomBytes } from 'node:crypto';
import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StackError } from './errors.js';
import { createPrivateFile, readFileIfAny } from './files.js';
import { identifyProcess, isRunning, parseIdentity } from './process-identity.js';

const attemptsMax = 20;

/**
 * Takes the data folder for this process until the returned function is called. A lock whose process is gone,
 * after kill -9 or a power cut, is taken over.
 *
 * @throws StackError while another process, or this one, holds it.
 */
export async function lockFolder(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, 'lock');
  const self = await identifyProcess(process.pid);
  if (self === undefined)
    throw new StackError('This system does not tell when a process started; use another.');
  // Unlike the pid it tells two starts within one process apart.
  const mine = JSON.stringify({ ...self, nonce: randomBytes(8).toString('hex') });
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (await createPrivateFile(path, mine)) return () => release(path, mine);
    const found = await readFileIfAny(path);
    if (found === undefined) continue;
    const owner = parseIdentity(found);
    if (owner !== undefined && (await isRunning(owner))) {
      throw new StackError(
        `${dataDir} is in use by process ${owner.pid}; stop it or choose another folder with HEARTLINE_DATA_DIR.`,
      );
    }
    await removeStale(path, found);
  }
  throw new StackError(`${dataDir} is being taken by other processes at the same time; start again.`);
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readFileIfAny(path)) === mine) await rm(path, { force: true });
}

/**
 * Two processes may find the same stale lock, and the slower one must not remove the lock that the faster one
 * has taken meanwhile: a rename moves exactly one file, so what was moved can be looked at and put back.
 */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
    if ((await readFileIfAny(aside)) !== stale) await link(aside, path);
  } catch {
    // Another process was faster; the next attempt sees what it did.
  } finally {
    await rm(aside, { force: true });
  }
}

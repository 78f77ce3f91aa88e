import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StackError } from './errors.js';
import { createPrivateFile, readFileIfAny } from './files.js';
import { identifyProcess, isRunning, parseIdentity } from './process-identity.js';

const attemptsMax = 50;
const pauseMs = 20;

/**
 * Takes the data folder for this process until the returned function is called. A lock whose process is gone,
 * after kill -9 or a power cut, is taken over.
 *
 * @throws StackError with that sentence while another process, or this one, holds it.
 */
export async function lockFolder(
  dataDir: string,
  sentenceFor = (pid: number) =>
    `${dataDir} is in use by process ${pid}; stop it or choose another folder with HEARTLINE_DATA_DIR.`,
): Promise<() => Promise<void>> {
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
      throw new StackError(sentenceFor(owner.pid));
    }
    await removeStale(path, found, mine);
  }
  throw new StackError(`${dataDir} is being taken by other processes at the same time; start again.`);
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readFileIfAny(path)) === mine) await rm(path, { force: true });
}

/**
 * Several processes may find the same stale lock, and a slow one must not remove the lock that a fast one has
 * taken meanwhile. So removing needs a second lock, named after the very text that is stale: while a process holds
 * it nobody else removes that text, and once the text has changed there is nothing to remove.
 */
async function removeStale(path: string, stale: string, mine: string): Promise<void> {
  const removal = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`;
  if (await createPrivateFile(removal, mine)) {
    if ((await readFileIfAny(path)) === stale) await rm(path, { force: true });
    await rm(removal, { force: true });
    return;
  }
  const remover = parseIdentity((await readFileIfAny(removal)) ?? mine);
  if (remover === undefined || !(await isRunning(remover))) await rm(removal, { force: true });
  else await delay(pauseMs);
}

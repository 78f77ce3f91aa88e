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
 * Locks the data folder for this process until the returned function is called. Takes over a lock whose process has
 * ended, by kill -9 or a power cut.
 *
 * @param sentenceFor makes the message for the process that holds the lock.
 * @throws StackError with that message while another process, or this one, holds the lock.
 */
export async function lockFolder(
  dataDir: string,
  sentenceFor = (pid: number) =>
    `${dataDir} is in use by process ${pid}; stop it or choose another folder with HEARTLINE_DATA_DIR.`,
): Promise<() => Promise<void>> {
  const path = join(dataDir, 'lock');
  const self = await identifyProcess(process.pid);
  if (self === undefined)
    throw new StackError(
      'The start time of a process cannot be found out on this system. Use Linux or macOS.',
    );
  // The nonce tells two starts within one process apart, which the pid does not.
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
  throw new StackError(`${dataDir} is being locked by other processes at the same time; start again.`);
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readFileIfAny(path)) === mine) await rm(path, { force: true });
}

/**
 * Removes a stale lock. Several processes may find the same stale lock, and a slow one must not remove the lock that a
 * fast one has just taken. The removal therefore needs a second lock, which is named after the stale text: while a
 * process holds it, no other process removes that text, and once the text has changed there is nothing to remove.
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

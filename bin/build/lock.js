import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 100;
/** No build takes this long: its process ended, and its number went to another one. */
const lockMsMax = 600_000;

/**
 * Lets one build run at a time; a second one waits. A build that was interrupted leaves its lock.
 *
 * @param {string} path
 */
export async function takeLock(path) {
  let wasInterrupted = false;
  while (!create(path)) {
    if (isHeld(path)) await delay(pauseMs);
    else {
      wasInterrupted = true;
      rmSync(path, { force: true });
    }
  }
  return { wasInterrupted, release: () => rmSync(path, { force: true }) };
}

/** @param {string} path */
function create(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} path */
function isHeld(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > lockMsMax) return false;
    const pid = Number(readFileSync(path, 'utf8'));
    // The holder has created the file, and has not written to it yet.
    if (pid === 0) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The lock has just been released, or belongs to a process of another user.
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

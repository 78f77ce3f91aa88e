import { accessSync, constants, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

const memory = '/dev/shm';
/** Several times what all files that run at a time put there. */
const freeBytesMin = 4 * 1024 ** 3;

/**
 * A folder that goes when the test ends, after what the test starts in it later. It is in memory where there is
 * room: to copy the 1,100 files of a PostgreSQL costs 0.06 s of processor time there, and up to 0.9 s on a disk.
 */
export async function temporaryFolder(t: Pick<Test, 'teardown'>): Promise<string> {
  const folder = await mkdtemp(join(hasMemory() ? memory : tmpdir(), 'heartline-test-'));
  // A store whose service was killed in the test may still be writing its last file.
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

function hasMemory(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= freeBytesMin;
  } catch {
    return false;
  }
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StackError } from './errors.js';

/** Folder below the data folder where a restore puts the stores together; there for as long as it is not done. */
export function restoringFolder(dataDir: string): string {
  return join(dataDir, 'restoring');
}

/**
 * Keeps the stores from being started on what a restore has left half done: with the one store in place and not
 * the other, the other would begin empty.
 *
 * @throws StackError while the folder is there.
 */
export async function assertNotRestoring(dataDir: string): Promise<void> {
  const isThere = await stat(restoringFolder(dataDir)).then(
    () => true,
    () => false,
  );
  if (isThere) {
    throw new StackError(
      `A restore into ${dataDir} did not finish; repeat it with heartline restore, or delete ${dataDir}.`,
    );
  }
}

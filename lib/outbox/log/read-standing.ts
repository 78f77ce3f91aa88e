import { open, stat } from 'node:fs/promises';

/** Readings at most: under load the process of a file writes to it every few milliseconds. */
const readingsMax = 5;

/** Something that was found in the bytes of a file, and whether it found damage. */
type Found = { damaged: number; tailBytes: number };

/**
 * Reads a file of a log that its process may write, deliver and use again under another name meanwhile, and passes its
 * bytes to `examine`. Bytes of several moments look like damage: such a file is read again, until two readings have the
 * same bytes, or five times.
 *
 * @throws Error with the code ENOENT when the name is gone: the file was delivered. Error when it cannot be read.
 */
export async function readStanding<T extends Found>(
  path: string,
  examine: (bytes: Buffer) => T | Promise<T>,
): Promise<T> {
  let before: Buffer | undefined;
  for (let reading = 1; ; reading += 1) {
    const { bytes, ino } = await readOnce(path);
    const found = await examine(bytes);
    const isNamed = (await stat(path)).ino === ino;
    const isWhole = found.damaged === 0 && found.tailBytes === 0;
    if (isNamed && (isWhole || before?.equals(bytes))) return found;
    if (reading === readingsMax) return found;
    before = isNamed ? bytes : undefined;
  }
}

async function readOnce(path: string): Promise<{ bytes: Buffer; ino: number }> {
  const file = await open(path, 'r');
  try {
    const { ino } = await file.stat();
    return { bytes: await file.readFile(), ino };
  } finally {
    await file.close();
  }
}

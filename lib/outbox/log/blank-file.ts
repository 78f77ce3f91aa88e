import { constants, type FileHandle, open } from 'node:fs/promises';
import { markerBytes } from './frame.js';
import { stepBytes } from './written-content.js';

/** The disk takes this much at once, so that an acknowledgement does not wait behind more. */
const fillBytes = 1024 * 1024;

const zeros = Buffer.alloc(stepBytes);

/**
 * Makes a file of this size without records, which the disk has when this resolves. Its first bytes are zeros; behind
 * them is what the file had before, and zeros where it was shorter. Creates the file, of mode 0600, if there is none.
 */
export async function blankFile(path: string, bytes: number): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size } = await file.stat();
    await file.write(zeros, 0, markerBytes, 0);
    if (size > bytes) await file.truncate(bytes);
    await fill(file, Math.min(size, bytes), bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function fill(file: FileHandle, from: number, to: number): Promise<void> {
  let synced = from;
  for (let at = from; at < to; ) {
    const { bytesWritten } = await file.write(zeros, 0, Math.min(zeros.length, to - at), at);
    at += bytesWritten;
    if (at - synced < fillBytes) continue;
    await file.datasync();
    synced = at;
  }
}

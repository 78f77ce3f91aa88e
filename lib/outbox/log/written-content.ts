import { stat, truncate } from 'node:fs/promises';
import { createSlices } from '../../slices.js';
import { markerOf, scanFrames, type Unread } from './frame.js';
import { readStanding } from './read-standing.js';

/** A file that was written ahead has a multiple of this size until records fill it: 256 KiB. */
export const stepBytes = 256 * 1024;

/** The sums of 4 MiB take some 2 ms. */
const sliceBytes = 4 * 1024 * 1024;

/**
 * Returns the bytes of a file that hold its records: without the space behind them that was written ahead. The whole
 * file when it ends otherwise, such as with a record that was not written to its end.
 *
 * @throws Error when it cannot be read; with the code ENOENT when its name is gone, because it was delivered.
 */
export async function contentBytes(path: string): Promise<number> {
  const { size } = await stat(path);
  if (size === 0 || size % stepBytes !== 0) return size;
  return readStanding(path, async (content) => {
    const unread = await scanInSlices(content, markerOf(path));
    return { ...unread, bytes: unread.tailBytes === 0 ? unread.end : content.length };
  }).then(({ bytes }) => bytes);
}

async function scanInSlices(content: Buffer, marker: Buffer): Promise<Unread> {
  const frames = scanFrames(content, marker);
  const spend = createSlices(sliceBytes);
  for (;;) {
    const next = frames.next();
    if (next.done) return next.value;
    await spend(next.value.payload.length);
  }
}

/** Cuts a file that nobody writes any more to its records. Returns its bytes. @throws Error as above. */
export async function cutToContent(path: string): Promise<number> {
  const bytes = await contentBytes(path);
  const { size } = await stat(path);
  if (bytes < size) await truncate(path, bytes);
  return bytes;
}

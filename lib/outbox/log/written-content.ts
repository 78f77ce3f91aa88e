import { readFile, stat, truncate } from 'node:fs/promises';
import { createSlices } from '../../slices.js';
import { markerOf, scanFrames } from './frame.js';

/** A file that was written ahead has a multiple of this size until records fill it: 256 KiB. */
export const stepBytes = 256 * 1024;

/** The sums of 4 MiB take some 2 ms. */
const sliceBytes = 4 * 1024 * 1024;

/**
 * Returns the bytes of a file that hold its records: without the space behind them that was written ahead. The whole
 * file when it ends otherwise, such as with a record that was not written to its end.
 *
 * @throws Error when it cannot be read.
 */
export async function contentBytes(path: string): Promise<number> {
  const { size } = await stat(path);
  if (size === 0 || size % stepBytes !== 0) return size;
  const frames = scanFrames(await readFile(path), markerOf(path));
  const spend = createSlices(sliceBytes);
  for (;;) {
    const next = frames.next();
    if (next.done) return next.value.tailBytes === 0 ? next.value.end : size;
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

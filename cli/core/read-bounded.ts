import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file for `use`. A pipe and a device are refused, because they may never end; opened without O_NONBLOCK, a pipe
 * waits for its writer.
 *
 * @throws Error for what is no file, and for one of more than `bytesMax` bytes; an error of the file system
 */
export async function withFile<T>(
  path: string,
  bytesMax: number,
  use: (file: FileHandle, bytes: number) => Promise<T>,
): Promise<T> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (found.isDirectory()) throw new Error(`${path} is a folder; name a file.`);
    if (!found.isFile()) throw new Error(`${path} is a pipe or a device, which may never end; name a file.`);
    if (found.size > bytesMax) throw tooLarge(path, bytesMax);
    return await use(file, found.size);
  } finally {
    await file.close();
  }
}

/** The bytes of a file. @throws as withFile() */
export function readFileUpTo(path: string, bytesMax: number): Promise<Buffer> {
  return withFile(path, bytesMax, (file, bytes) => readStart(file, bytes));
}

/** At most the first `bytesMax` bytes of a file. */
export async function readStart(file: FileHandle, bytesMax: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
  return buffer.subarray(0, bytesRead);
}

/** The largest input is a file of `heartline apply`. */
const inputBytesMax = 4 * 1024 ** 2;

/**
 * The text of a file, or of standard input for `-`. A pipe is read too, as of a shell's `<(…)`, but no more than its bound.
 *
 * @throws Error for more than 4 MiB; an error of the file system
 */
export async function readInput(path: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of path === '-' ? process.stdin : createReadStream(path)) {
    parts.push(part);
    bytes += part.length;
    if (bytes > inputBytesMax) throw tooLarge(path === '-' ? 'Standard input' : path, inputBytesMax);
  }
  return Buffer.concat(parts).toString('utf8');
}

function tooLarge(name: string, bytesMax: number): Error {
  return new Error(`${name} has more than ${bytesMax} bytes, which is more than is read.`);
}

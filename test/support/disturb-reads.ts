import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Test } from 'tap';
import { blankFile } from '../../lib/outbox/log/blank-file.js';
import { openLogFile, writeFlags } from '../../lib/outbox/log/log-file.js';
import { spareOf } from '../../lib/outbox/log/spare-files.js';

type Methods = Pick<FileHandle, 'read' | 'readFile'>;

async function prototypeOf(path: string): Promise<Methods> {
  const handle = await open(path);
  const prototype: Methods = Object.getPrototypeOf(handle);
  await handle.close();
  return prototype;
}

/** Calls `act` in the middle of the next file that is read whole, behind so many bytes. */
export async function duringNextReadFile(
  t: Test,
  path: string,
  bytes: number,
  act: () => Promise<void>,
): Promise<void> {
  const prototype = await prototypeOf(path);
  const { readFile } = prototype;
  const restore = (): void => void Object.assign(prototype, { readFile });
  t.teardown(restore);
  Object.assign(prototype, {
    async readFile(this: FileHandle) {
      restore();
      const { buffer } = await this.read(Buffer.alloc(bytes), 0, bytes, null);
      await act();
      return Buffer.concat([buffer, await this.readFile()]);
    },
  });
}

/** Calls `act` before the next piece of a file is read. */
export async function beforeNextRead(t: Test, path: string, act: () => Promise<void>): Promise<void> {
  const prototype = await prototypeOf(path);
  const { read } = prototype;
  const restore = (): void => void Object.assign(prototype, { read });
  t.teardown(restore);
  Object.assign(prototype, {
    async read(this: FileHandle, ...args: unknown[]) {
      restore();
      await act();
      return Reflect.apply(read, this, args);
    },
  });
}

/** Uses a file of the log again as its process does once the store has its events, with a small record for another name. */
export async function useAgain(path: string, next: string): Promise<void> {
  const spare = spareOf(path);
  await rename(path, spare);
  const bytes = 256 * 1024;
  await blankFile(spare, bytes);
  await rename(spare, next);
  const handle = await open(next, writeFlags(false));
  const file = await openLogFile(
    next,
    handle,
    { fence: { mayBeLost: () => false }, isDirect: false },
    { bytes, onUsed() {} },
  );
  await file.append(1, [Buffer.from('of another file')], () => true);
  await file.close();
}

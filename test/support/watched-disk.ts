import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';

type Names = Map<string, { ino: number; isFolder: boolean }>;

/** Names of each folder, and the content of each file, by inode. */
type Contents = { names: Map<number, Names>; files: Map<number, Buffer> };

/**
 * Contents that a disk may have after a power failure:
 *
 * - synced: what was synced, and nothing else
 * - names: all names, those that were not synced too, and the content that was synced
 * - content: all content, and the names that were synced
 * - everything: all that was written
 */
export const diskStates = ['synced', 'names', 'content', 'everything'] as const;

export type DiskState = (typeof diskStates)[number];

/** The contents of a disk at one moment. */
export type Capture = { write(to: string, state: DiskState): Promise<void> };

export type Disk = {
  /** Notes what the disk has of a folder for certain now, and what it may have. */
  capture(root: string): Capture;
};

const directFlag = 0o10000;

/** Notes what file handles sync, by `datasync`, `sync`, or writes of files that are open with `O_DSYNC`. */
export async function watchDisk(t: Test): Promise<Disk> {
  const synced: Contents = { names: new Map(), files: new Map() };
  const handles = new WeakMap<FileHandle, { ino: number; isDirect: boolean }>();
  const handle = await open('/');
  const prototype: Pick<FileHandle, 'datasync' | 'sync' | 'writev'> = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync, sync, writev } = prototype;
  t.teardown(() => Object.assign(prototype, { datasync, sync, writev }));

  function look(file: FileHandle): { ino: number; isDirect: boolean } {
    const known = handles.get(file);
    if (known !== undefined) return known;
    const flags =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file.fd}`, 'utf8'))?.[1] ?? '0';
    const { ino } = statSync(`/proc/self/fd/${file.fd}`);
    const found = { ino, isDirect: (Number.parseInt(flags, 8) & directFlag) !== 0 };
    handles.set(file, found);
    return found;
  }

  function note(ino: number, bytes: Buffer, at: number): void {
    const before = synced.files.get(ino) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, at + bytes.length));
    before.copy(after);
    bytes.copy(after, at);
    synced.files.set(ino, after);
  }

  prototype.datasync = async function watched(this: FileHandle) {
    const content = readFileSync(`/proc/self/fd/${this.fd}`);
    await datasync.call(this);
    synced.files.set(look(this).ino, content);
  };
  prototype.sync = async function watched(this: FileHandle) {
    const names = namesIn(`/proc/self/fd/${this.fd}`);
    const { ino } = look(this);
    await sync.call(this);
    synced.names.set(ino, names);
  };
  prototype.writev = async function watched<Chunks extends readonly NodeJS.ArrayBufferView[]>(
    this: FileHandle,
    chunks: Chunks,
    at?: number,
  ) {
    const { ino, isDirect } = look(this);
    const done = await writev.call(this, chunks, at);
    if (isDirect) {
      const bytes = chunks.map(({ buffer, byteOffset, byteLength }) =>
        Buffer.from(buffer, byteOffset, byteLength),
      );
      note(ino, Buffer.concat(bytes).subarray(0, done.bytesWritten), at ?? 0);
    }
    return { bytesWritten: done.bytesWritten, buffers: chunks };
  };

  return {
    capture(root) {
      const now: Contents = { names: new Map(), files: new Map() };
      readAll(root, now);
      const then = { names: new Map(synced.names), files: new Map(synced.files) };
      const { ino } = statSync(root);
      return {
        write: (to, state) =>
          copyContents(ino, to, {
            names: state === 'synced' || state === 'content' ? then.names : now.names,
            files:
              state === 'synced' || state === 'names' ? then.files : new Map([...then.files, ...now.files]),
          }),
      };
    },
  };
}

function namesIn(folder: string): Names {
  const names: Names = new Map();
  for (const name of readdirSync(folder)) {
    // A file may go while the names are read.
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined) names.set(name, { ino: stats.ino, isFolder: stats.isDirectory() });
  }
  return names;
}

function readAll(folder: string, contents: Contents): void {
  const names = namesIn(folder);
  contents.names.set(statSync(folder).ino, names);
  for (const [name, { ino, isFolder }] of names) {
    const path = join(folder, name);
    if (isFolder) readAll(path, contents);
    else if (statSync(path, { throwIfNoEntry: false })?.ino === ino)
      contents.files.set(ino, readFileSync(path));
  }
}

async function copyContents(folder: number, to: string, contents: Contents): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const [name, { ino, isFolder }] of contents.names.get(folder) ?? []) {
    const target = join(to, name);
    if (isFolder) await copyContents(ino, target, contents);
    else await writeFile(target, contents.files.get(ino) ?? '');
  }
}

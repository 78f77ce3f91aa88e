import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { errorCode } from '../stack/errors.js';

/** A file, and its place in the copy, which is relative and has forward slashes. */
export type FileToCopy = {
  from: string;
  to: string;
  /** How much of it is copied at most. */
  bytesMax?: number | undefined;
  /**
   * Whether its process may take the name from the file and write other content into it. The file is then left out, as
   * one that does not exist any more.
   */
  mayBeReused?: boolean;
};

export type CopiedFile = { path: string; bytes: number; sha256: string };

export type CopyOptions = {
  /** Folder of the copy. */
  directory: string;
  /** An abort ends the copy with the reason of the signal. */
  signal: AbortSignal;
  /** Called with the size of each copied file. */
  onCopied(bytes: number): void;
};

export type Tree = {
  /** Paths below the folder, with forward slashes. */
  files: string[];
  folders: string[];
};

/** Files that are copied at the same time. More does not make the copy of 1,200 small files faster. */
const filesAtATime = 8;
const chunkBytes = 1_048_576;

/** Lists a folder and the folders in it. Returns empty lists when the folder does not exist. */
export async function listTree(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const pathOf = (entry: { parentPath: string; name: string }): string =>
    join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .split(sep)
      .join('/');
  return {
    files: entries.filter((entry) => entry.isFile()).map(pathOf),
    folders: entries.filter((entry) => entry.isDirectory()).map(pathOf),
  };
}

/**
 * Copies files with mode 0600 and returns the copies. A file that does not exist any more is missing in the result,
 * which the caller judges.
 */
export async function copyFiles(files: readonly FileToCopy[], options: CopyOptions): Promise<CopiedFile[]> {
  const { directory, signal, onCopied } = options;
  await makeFolders(directory, [...new Set(files.map(({ to }) => dirname(to)))]);
  const copied: CopiedFile[] = [];
  const left = files.values();
  const copyOneByOne = async (): Promise<void> => {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (const file of left) {
      signal.throwIfAborted();
      const { to } = file;
      const written = await copyFile({ ...file, to: join(directory, to) }, chunk);
      if (written === undefined) continue;
      copied.push({ path: to, ...written });
      onCopied(written.bytes);
    }
  };
  await Promise.all(Array.from({ length: filesAtATime }, copyOneByOne));
  return copied;
}

/** Creates folders that only their owner can enter. */
export async function makeFolders(directory: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
}

async function copyFile(
  { from, to, bytesMax = Number.POSITIVE_INFINITY, mayBeReused = false }: FileToCopy,
  chunk: Buffer,
): Promise<Omit<CopiedFile, 'path'> | undefined> {
  const source = await open(from, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (source === undefined) return undefined;
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      // Bytes that are added meanwhile are left out: a writer that is faster than the copy would keep it from ending.
      const { size: sourceBytes, ino } = await source.stat();
      const size = Math.min(sourceBytes, bytesMax);
      let bytes = 0;
      while (bytes < size) {
        const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, size - bytes), null);
        if (bytesRead === 0) break;
        const part = chunk.subarray(0, bytesRead);
        hash.update(part);
        await target.writeFile(part);
        bytes += bytesRead;
      }
      if (mayBeReused && (await inodeOf(from)) !== ino) {
        await rm(to);
        return undefined;
      }
      return { bytes, sha256: hash.digest('hex') };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Returns the number of the file that has a name now; `undefined` when none has it. */
async function inodeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ ino }) => ino,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    },
  );
}

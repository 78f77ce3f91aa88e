import { constants, type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encodeHeader, endMark, markerOf } from './frame.js';

export type LogFile = {
  readonly path: string;
  /** Bytes of the records that are on the disk. */
  readonly bytes: number;
  /**
   * Appends one record, whose payload is these chunks, and resolves when the disk has it. One append at a time.
   *
   * @param isWanted says whether anybody still waits for the record when the disk has it.
   * @throws Error when the disk does not take it, nobody waits for it any more, or another process has taken the file
   *   over. The record is then not in the file, as far as the disk allows taking it out again.
   */
  append(version: number, chunks: readonly Buffer[], isWanted: () => boolean): Promise<void>;
  close(): Promise<void>;
};

/** Whether the process that writes the file may have been taken for dead; the file is then looked at after each write. */
export type Fence = { mayBeLost(): boolean };

type Options = {
  fence: Fence;
  /** Whether the file is open with `O_DSYNC`, so that a write ends when the disk has it. */
  isDirect: boolean;
};

/** Space of a file that the disk has given to it already, so that writes into it change nothing but their bytes. */
type Prepared = {
  bytes: number;
  /** Called with the bytes that are not spare any more. */
  onUsed(bytes: number): void;
};

/** Flags of a file that is written, and is created by `wx`. */
export const writeFlags = (isDirect: boolean): number =>
  constants.O_WRONLY | (isDirect ? constants.O_DSYNC : 0);

/** Creates a file of the log, of mode 0600. @throws Error when it exists, or cannot be created. */
export async function createLogFile(path: string, fence: Fence, isDirect = false): Promise<LogFile> {
  const file = await open(path, writeFlags(isDirect) | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await syncFolder(dirname(path));
    return await openLogFile(path, file, { fence, isDirect });
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

/** Makes a log file of an open one without records, whose name the disk has. */
export async function openLogFile(
  path: string,
  file: FileHandle,
  { fence, isDirect }: Options,
  { bytes: preparedBytes, onUsed }: Prepared = { bytes: 0, onUsed() {} },
): Promise<LogFile> {
  const { ino } = await file.stat();
  const marker = markerOf(path);
  let prepared = preparedBytes;
  let bytes = 0;

  /** A process that took the file over has read what was in it before, and nobody reads what comes later. */
  async function assertOurs(): Promise<void> {
    const found = await stat(path);
    if (found.ino !== ino) throw new Error(`Another process has taken ${path} over.`);
  }

  function moveTo(end: number): void {
    onUsed(Math.min(end, prepared) - Math.min(bytes, prepared));
    bytes = end;
  }

  return {
    path,
    get bytes() {
      return bytes;
    },
    async append(version, chunks, isWanted) {
      const record = [encodeHeader(marker, version, chunks), ...chunks];
      const end = record.reduce((sum, chunk) => sum + chunk.length, bytes);
      const mark = endMark.subarray(0, Math.max(0, prepared - end));
      try {
        await writeAll(file, [...record, mark], end + mark.length - bytes, bytes);
        if (!isDirect) await file.datasync();
        if (!isWanted()) throw new Error('The disk took too long: the senders have their answer already.');
        if (fence.mayBeLost()) await assertOurs();
      } catch (error) {
        await file.truncate(bytes).catch(() => {});
        onUsed(Math.max(0, prepared - bytes));
        prepared = Math.min(prepared, bytes);
        throw error;
      }
      moveTo(end);
    },
    close: () => file.close(),
  };
}

/** A disk that fills up takes a part of what is written, and refuses the rest with its reason. */
async function writeAll(
  file: FileHandle,
  chunks: readonly Buffer[],
  length: number,
  at: number,
): Promise<void> {
  let { bytesWritten: written } = await file.writev(chunks, at);
  if (written === length) return;
  const bytes = Buffer.concat(chunks);
  while (written < length) {
    const { bytesWritten } = await file.write(bytes, written, length - written, at + written);
    written += bytesWritten;
  }
}

/** Makes the names of new files in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

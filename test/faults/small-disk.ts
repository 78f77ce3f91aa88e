import { execFile, spawnSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../stack/errors.js';
import { type Command, onLinux, serve } from './running-service.js';

const isRoot = process.getuid?.() === 0;
/**
 * In a user namespace, if the machine allows one, even an unprivileged user may mount. Root needs none, and has the other
 * users without it, such as the one that runs PostgreSQL.
 */
export const inNamespace: Command = [
  'unshare',
  ...(isRoot ? [] : ['--map-root-user']),
  '--mount',
  'sh',
  '-c',
];
const diskMb = 64;
const fillerBytes = 1024 * 1024;
const fillerName = 'filler';

/** Options of a test that needs a small disk. */
export function needsSmallDisk(): { skip?: string } {
  if (onLinux.skip !== undefined) return onLinux;
  const [program, ...args] = inNamespace;
  const { status } = spawnSync(program, [...args, 'mount -t tmpfs none /tmp']);
  return status === 0
    ? {}
    : { skip: 'this machine does not allow mounting a tmpfs, not even in a user namespace' };
}

/** Runs a program in a mount namespace of its own, with a disk of 1 MB at `folder`. */
export async function onSmallDisk(folder: string, program: string): Promise<string> {
  const [command, ...args] = inNamespace;
  const script = 'mount -t tmpfs -o size=1m none "$0" && exec "$@"';
  const node = [process.execPath, '--input-type=module', '-e', program, folder];
  const { stdout } = await promisify(execFile)(command, [...args, script, folder, ...node]);
  return stdout;
}

/** Options of a test that starts the service with its stores on a small disk. */
export function needsServiceOnSmallDisk(): { skip?: string } {
  return isRoot ? needsSmallDisk() : { skip: 'PostgreSQL does not run as the root of a user namespace' };
}

/** Starts the service with a folder of its data on a disk of 64 MB, which disappears with the process. */
export async function serveOnSmallDisk(folder: string): Promise<Command> {
  await mkdir(folder);
  const script = `mount -t tmpfs -o size=${diskMb}m none "$0" && exec "$@"`;
  return [...inNamespace, script, folder, ...serve];
}

/** The path of the folder as the service sees it: its disk is mounted for its processes alone. */
export function insideOf(pid: number, folder: string): string {
  return join(`/proc/${pid}/root`, folder);
}

/** Fills the disk to its last byte, again if some have become free. */
export async function fillDisk(pid: number, folder: string): Promise<void> {
  const filler = await open(join(insideOf(pid, folder), fillerName), 'a');
  try {
    for (let bytes = fillerBytes; bytes >= 1; ) {
      try {
        await filler.appendFile(Buffer.alloc(bytes));
      } catch (error) {
        if (errorCode(error) !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    await filler.close();
  }
}

/** Frees the disk again. */
export function clearDisk(pid: number, folder: string): Promise<void> {
  return rm(join(insideOf(pid, folder), fillerName));
}

/**
 * Makes the folder read-only for files opened from now on, like a kernel after a disk failure. Call the returned
 * function to undo that.
 *
 * @param readOnly a path at which no file is, for a second mount of the folder.
 */
export async function makeReadOnly(
  pid: number,
  folder: string,
  readOnly: string,
): Promise<() => Promise<void>> {
  const namespace = ['--target', String(pid), '--mount', 'sh', '-e', '-c'];
  const run = async (...commands: string[]): Promise<void> => {
    await promisify(execFile)('nsenter', [...namespace, commands.join('\n'), folder, readOnly]);
  };
  // A mount with files open for writing cannot become read-only, so a second mount does, which then replaces the first.
  await run(
    'mkdir "$1"',
    'mount --bind "$0" "$1"',
    'mount -o remount,bind,ro "$1"',
    'mount --bind "$1" "$0"',
  );
  return () => run('umount --lazy "$0"', 'umount "$1"', 'rmdir "$1"');
}

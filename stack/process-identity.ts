import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { errorCode } from './errors.js';

const run = promisify(execFile);

/** Identifies a process in a file on disk. A pid alone may belong to another process after a reboot. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** Returns the identity of a running process; `undefined` when no process has the pid. @throws Error when it cannot be found out. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether the process that was identified still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt;
}

/** Describes this process in one line of JSON, for `hasEnded`, which another process may ask. */
export async function describeThisProcess(): Promise<string> {
  return JSON.stringify({ ...(await identifyProcess(process.pid)), space: await processSpace() });
}

/**
 * Returns the fate of the process of a description. `unknown` is a process that cannot be seen from here, such as one in
 * another container or on another machine.
 */
export async function fateOf(description: string): Promise<'running' | 'ended' | 'unknown'> {
  const identity = parseIdentity(description);
  if (identity === undefined || !description.includes(JSON.stringify(await processSpace()))) return 'unknown';
  try {
    return (await isRunning(identity)) ? 'running' : 'ended';
  } catch {
    return 'unknown';
  }
}

/** Whether the process of a description has ended for certain. */
export async function hasEnded(description: string): Promise<boolean> {
  return (await fateOf(description)) === 'ended';
}

/**
 * Names the processes that this one can see: its PID namespace on Linux, else the machine. The boot
 * belongs to it, because the first PID namespace has the same number on every machine that may share the folder.
 */
async function processSpace(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  try {
    return `${await bootId()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Parses JSON text with an identity; returns `undefined` for any other text. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('startedAt' in value)) {
      return undefined;
    }
    const { pid, startedAt } = value;
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the boot id and the start in clock ticks since that boot. A zombie has ended, although it has a pid. */
async function startOnLinux(pid: number): Promise<string | undefined> {
  try {
    const boot = await bootId();
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses, which may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${boot} ${fields[19]}`;
  } catch (error) {
    // ESRCH: the process ended while its file was read. Without a free file descriptor, nothing is known of it.
    if (['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function startByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: 5_000 });
    return stdout.trim() || undefined;
  } catch (error) {
    // The exit code of ps for a pid that no process has.
    if (error instanceof Error && 'code' in error && error.code === 1) return undefined;
    throw error;
  }
}

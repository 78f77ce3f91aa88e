import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StackError } from './errors.js';
import { exists, readFileIfAny, writePrivateFile } from './files.js';
import { identifyProcess, isRunning } from './process-identity.js';

/** The stores of a running instance, for the commands that use them. It holds passwords. */
export type RunningStack = {
  /** Process that started the stores. */
  pid: number;
  clickhouseUrl: string;
  /** The same server for clients of its native protocol; missing when the server is one of the operator. */
  clickhouseNativeUrl?: string;
  databaseUrl: string;
  secretKey: string;
  /** Where the service on the stores listens; missing before it does, and while a command runs them. */
  serviceUrl?: string;
};

/** Writes the stores that this process started to `<dataDir>/stack.json`, mode 0600. */
export async function writeRunningStack(dataDir: string, stack: Omit<RunningStack, 'pid'>): Promise<void> {
  const startedAt = (await identifyProcess(process.pid))?.startedAt;
  const text = JSON.stringify({ pid: process.pid, startedAt, ...stack }, null, 2);
  await writePrivateFile(stackFile(dataDir), `${text}\n`);
}

/** Returns the stores of the instance that runs on a folder; `undefined` when no instance runs on it. */
export async function findRunningStack(dataDir: string): Promise<RunningStack | undefined> {
  const text = await readStackFile(dataDir);
  if (text === undefined) return undefined;
  const { pid, startedAt, clickhouseUrl, clickhouseNativeUrl, databaseUrl, secretKey, serviceUrl } =
    parse(text);
  if (typeof pid !== 'number' || typeof startedAt !== 'string') return undefined;
  if (typeof clickhouseUrl !== 'string' || typeof databaseUrl !== 'string') return undefined;
  if (typeof secretKey !== 'string' || !(await isRunning({ pid, startedAt }))) return undefined;
  return {
    ...{ pid, clickhouseUrl, databaseUrl, secretKey },
    ...(typeof clickhouseNativeUrl === 'string' && { clickhouseNativeUrl }),
    ...(typeof serviceUrl === 'string' && { serviceUrl }),
  };
}

export async function removeRunningStack(dataDir: string): Promise<void> {
  await rm(stackFile(dataDir), { force: true });
}

function stackFile(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

async function readStackFile(dataDir: string): Promise<string | undefined> {
  try {
    return await readFileIfAny(stackFile(dataDir));
  } catch {
    // The path is not a folder, or belongs to another user: no instance can be used.
    return undefined;
  }
}

function parse(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Folder below the data folder in which a restore assembles the stores. It exists until the restore is complete. */
export function restoringFolder(dataDir: string): string {
  return join(dataDir, 'restoring');
}

/**
 * Refuses to start the stores on an incomplete restore: with only one store in place, the other would begin empty.
 *
 * @throws StackError while the folder of the restore exists.
 */
export async function assertNotRestoring(dataDir: string): Promise<void> {
  if (await exists(restoringFolder(dataDir))) {
    throw new StackError(
      `A restore into ${dataDir} did not finish; repeat it with heartline restore, or delete ${dataDir}.`,
    );
  }
}

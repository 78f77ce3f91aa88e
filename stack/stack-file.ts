import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileIfAny, writePrivateFile } from './files.js';
import { identifyProcess, isRunning } from './process-identity.js';

/** Where a running instance's stores are, for the commands that join it. Holds passwords. */
export type RunningStack = {
  /** Process that started the stores. */
  pid: number;
  clickhouseUrl: string;
  databaseUrl: string;
  secretKey: string;
};

/** Announces the stores that this process started in `<dataDir>/stack.json`, mode 0600. */
export async function writeRunningStack(dataDir: string, stack: Omit<RunningStack, 'pid'>): Promise<void> {
  const startedAt = (await identifyProcess(process.pid))?.startedAt;
  const text = JSON.stringify({ pid: process.pid, startedAt, ...stack }, null, 2);
  await writePrivateFile(stackFile(dataDir), `${text}\n`);
}

/** The stores of the instance that runs on this folder; undefined when there is none or its process is gone. */
export async function readRunningStack(dataDir: string): Promise<RunningStack | undefined> {
  const text = await readStackFile(dataDir);
  if (text === undefined) return undefined;
  const { pid, startedAt, clickhouseUrl, databaseUrl, secretKey } = parse(text);
  if (typeof pid !== 'number' || typeof startedAt !== 'string') return undefined;
  if (typeof clickhouseUrl !== 'string' || typeof databaseUrl !== 'string') return undefined;
  if (typeof secretKey !== 'string' || !(await isRunning({ pid, startedAt }))) return undefined;
  return { pid, clickhouseUrl, databaseUrl, secretKey };
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
    // A path that is no folder, or someone else's: no instance of ours to join.
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

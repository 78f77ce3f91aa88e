import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StackError } from '../errors.js';
import { readFileIfAny, writePrivateFile } from '../files.js';
import { identifyProcess, isRunning, type ProcessIdentity, parseIdentity } from '../process-identity.js';

/** The server of a folder, and the process that started it. */
type Recorded = { server: ProcessIdentity; parent: ProcessIdentity | undefined };

/** A guarded server ends within 2 s of its parent. */
const endingMsMax = 4_000;
const waitMsMax = 10_000;

/** Notes the server of a folder for the next start. */
export async function writePredecessor(dir: string, pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const record = { ...(await identifyProcess(pid)), parent: await identifyProcess(process.pid) };
  await writePrivateFile(recordOf(dir), JSON.stringify(record));
}

/**
 * Waits until the last server of a folder has ended, because two on one folder would spoil the data. A server whose
 * parent was killed ends by itself; one that does not, because its guard was killed too, is stopped.
 *
 * @throws StackError while another process uses the folder.
 */
export async function endPredecessor(dir: string): Promise<void> {
  const last = parseRecord((await readFileIfAny(recordOf(dir))) ?? '');
  if (last === undefined) return;
  const since = Date.now();
  let stopped = false;
  while (await isRunning(last.server)) {
    const waitedMs = Date.now() - since;
    const isOrphan = last.parent === undefined || !(await isRunning(last.parent));
    if (waitedMs > waitMsMax || (!isOrphan && last.parent?.pid !== process.pid)) {
      throw new StackError(`The store in ${dir} is in use by process ${last.server.pid}; stop it first.`);
    }
    if (isOrphan && !stopped && waitedMs > endingMsMax) {
      stopped = true;
      for (const signal of ['SIGQUIT', 'SIGCONT'] as const) process.kill(last.server.pid, signal);
    }
    await delay(50);
  }
  await removeStalePid(dir, last.server.pid);
}

/** In a new container another process may have the pid of a killed server, which would then refuse to start. */
async function removeStalePid(dir: string, pid: number): Promise<void> {
  const path = join(dir, 'data/postmaster.pid');
  // A file that cannot be read is a matter for the server, which says what is wrong.
  const [first] = ((await readFileIfAny(path).catch(() => undefined)) ?? '').split('\n', 1);
  if (first === String(pid)) await rm(path, { force: true });
}

function recordOf(dir: string): string {
  return join(dir, 'process.json');
}

function parseRecord(text: string): Recorded | undefined {
  const server = parseIdentity(text);
  if (server === undefined) return undefined;
  const { parent }: { parent?: unknown } = JSON.parse(text);
  return { server, parent: parent === undefined ? undefined : parseIdentity(JSON.stringify(parent)) };
}

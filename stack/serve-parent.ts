import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FromChild, hasType, type ToChild } from './child-protocol.js';
import { StackError } from './errors.js';
import { makePrivateFolder, readFileIfAny, writePrivateFile } from './files.js';
import { identifyProcess, isRunning, parseIdentity } from './process-identity.js';

/** Without a parent nobody needs the store: its log makes a hard end as safe as a clean one, only slower to open. */
const orphanStopMs = 1_500;
const predecessorWaitMs = 10_000;

/** A store that listens, inside its own process. */
export type OpenStore = { port: number; close(): Promise<void> };

/**
 * Runs a store for the launcher that forked this process: opens it when told to, closes it when told to or when
 * the launcher is gone, and then ends the process.
 *
 * Signals are ignored: a service manager sends SIGTERM to every process of the service at once, and the stores
 * have to outlive the requests that the service still answers.
 */
export function serveParent<Start>(open: (dir: string, start: Start) => Promise<OpenStore>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let opening: Promise<OpenStore> | undefined;
  const close = async (): Promise<void> => {
    await (await opening)?.close();
    process.exit(0);
  };
  process.on('message', (message) => {
    if (!isToChild<Start>(message)) return;
    if (message.type === 'stop') {
      close().catch(fail);
    } else if (opening === undefined) {
      opening = takeAndOpen(message, open);
      opening.then((store) => tell({ type: 'ready', port: store.port }), fail);
    }
  });
  process.on('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), orphanStopMs);
    close().catch(fail);
  });
}

async function takeAndOpen<Start>(
  message: { dir: string; start: Start },
  open: (dir: string, start: Start) => Promise<OpenStore>,
): Promise<OpenStore> {
  await makePrivateFolder(message.dir);
  await takeFolder(message.dir);
  return await open(message.dir, message.start);
}

/** The store of a service that was just killed may need a moment to notice; two of them would spoil the data. */
async function takeFolder(dir: string): Promise<void> {
  const path = join(dir, 'process.json');
  const predecessor = parseIdentity((await readFileIfAny(path)) ?? '');
  const deadline = Date.now() + predecessorWaitMs;
  while (predecessor !== undefined && (await isRunning(predecessor))) {
    if (Date.now() > deadline) {
      throw new StackError(`The store in ${dir} is in use by process ${predecessor.pid}; stop it first.`);
    }
    await delay(100);
  }
  await writePrivateFile(path, JSON.stringify(await identifyProcess(process.pid)));
}

function tell(message: FromChild): void {
  process.send?.(message, () => {});
}

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  if (!process.connected) process.exit(1);
  process.send?.({ type: 'failed', text } satisfies FromChild, () => process.exit(1));
}

function isToChild<Start>(message: unknown): message is ToChild<Start> {
  // The launcher of the same build is the only sender, so a message's type vouches for its rest.
  return hasType(message) && (message.type === 'start' || message.type === 'stop');
}

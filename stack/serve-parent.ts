import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FromChild, hasType, type ToChild } from './child.js';
import { StackError } from './errors.js';
import { makePrivateFolder, readFileIfAny, writePrivateFile } from './files.js';
import { identifyProcess, isRunning, parseIdentity } from './process-identity.js';

/** Without its parent the store is not needed. The log makes a kill as safe as a clean end, only slower to open. */
const orphanStopMs = 1_500;
const predecessorWaitMs = 10_000;

/** A store that listens, seen from its own process. */
export type OpenStore = {
  port: number;
  /** Why the store is not confined, where that is possible at all. */
  unconfinedBecause?: string | undefined;
  close(): Promise<void>;
};

/**
 * Runs a store for the launcher that forked this process. Opens the store on the message `start`, closes it on the
 * message `stop` or when the launcher has ended, and then ends the process.
 *
 * Ignores signals: a service manager sends SIGTERM to every process of the service at once, and the stores must outlive
 * the requests that the service still answers.
 */
export function serveParent<Start>(open: (dir: string, start: Start) => Promise<OpenStore>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let opening: Promise<OpenStore> | undefined;
  const close = async (): Promise<void> => (await opening)?.close();
  process.on('message', (message) => {
    if (!isToChild<Start>(message)) return;
    if (message.type === 'stop') {
      close().then(() => process.exit(0), fail);
    } else if (opening === undefined) {
      opening = takeAndOpen(message, open);
      opening.then(({ port, unconfinedBecause }) => send({ type: 'ready', port, unconfinedBecause }), fail);
    }
  });
  process.on('disconnect', () => {
    setTimeout(endOrphan, orphanStopMs);
    close().then(endOrphan, endOrphan);
  });
}

/** An ordinary exit waits for the thread of an engine that does not end, such as one whose folder has been deleted. */
function endOrphan(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function takeAndOpen<Start>(
  message: { dir: string; start: Start },
  open: (dir: string, start: Start) => Promise<OpenStore>,
): Promise<OpenStore> {
  await makePrivateFolder(message.dir);
  await takeFolder(message.dir);
  return await open(message.dir, message.start);
}

/** Waits for a predecessor, whose service was just killed, to end: two processes on one folder would spoil the data. */
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

function send(message: FromChild): void {
  process.send?.(message, () => {});
}

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  if (!process.connected) endOrphan();
  process.send?.({ type: 'failed', text } satisfies FromChild, () => process.exit(1));
}

function isToChild<Start>(message: unknown): message is ToChild<Start> {
  // The launcher of the same build is the only sender, so the type of a message vouches for the rest.
  return hasType(message) && (message.type === 'start' || message.type === 'stop');
}

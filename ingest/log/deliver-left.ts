import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ClickHouseError } from '@clickhouse/client';
import type { Log } from '../../lib/log.js';
import { claimFile } from '../../lib/outbox/log/adopt.js';
import { type LogOwner, type LogPath, openLogFolder } from '../../lib/outbox/log/log-folder.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import { type Replayed, replaySegment } from './segment.js';
import type { Deliver } from './segment-queue.js';

/** A file that a process left in its log. */
export type LeftFile = LogPath & { store: StoreName };

type Deps = {
  /** Folder of the log, in which a file is moved to a folder of this process while it is delivered. */
  dir: string;
  owner: LogOwner;
  deliver: Deliver;
  /** Ends the delivery; the file that is on its way stays. */
  signal: AbortSignal;
  onProgress(done: Readonly<LeftDelivery>): void;
  log: Log;
};

/** The outcome for the files. */
export type LeftDelivery = {
  /** Files, and the events in them, that their store or its delivery buffer has. */
  files: number;
  bytes: number;
  events: number;
  /** Files that another process took over meanwhile. */
  taken: number;
  /** Stretches between whole records, and bytes behind the last one, that cannot be read. */
  damaged: number;
  tailBytes: number;
  /** Where files are that have been delivered but for what cannot be read. */
  kept: string[];
  /** Files that stay where they were, because nothing of them can be read. */
  unreadable: { path: string; reason: string }[];
  /** Files that stay where they were, because ClickHouse has refused their events. */
  declined: { path: string; reason: string }[];
  /** Why the delivery ended before the last file. */
  stopped: string | undefined;
};

export const noDelivery = (): LeftDelivery => ({
  ...{ files: 0, bytes: 0, events: 0, taken: 0, damaged: 0, tailBytes: 0 },
  ...{ kept: [], unreadable: [], declined: [], stopped: undefined },
});

export const keptSuffix = '.damaged';

/**
 * Delivers files to their stores, each under the token that is its name, and removes what its store has. A file is moved
 * to a folder of this process first: one process alone can do that, and an owner that wakes up notices.
 */
export async function deliverLeft(files: readonly LeftFile[], deps: Deps): Promise<LeftDelivery> {
  const folder = await openLogFolder(deps.dir, deps.owner, deps.log);
  const done = noDelivery();
  try {
    for (const file of files) {
      deps.signal.throwIfAborted();
      const mine: LogPath[] = [];
      await claimFile(file, folder.path, mine);
      const [claimed] = mine;
      if (claimed === undefined) done.taken += 1;
      else await deliverFile(file, claimed, { ...deps, done, remove: folder.remove });
      deps.onProgress(done);
    }
  } catch (error) {
    done.stopped = messageOf(error);
  } finally {
    await folder.close();
  }
  return done;
}

type FileDeps = Deps & { done: LeftDelivery; remove(path: string): Promise<void> };

/** @throws Error when the store cannot be reached; the file is then where it was. */
async function deliverFile(file: LeftFile, claimed: LogPath, deps: FileDeps): Promise<void> {
  const { done, deliver, remove, signal } = deps;
  let read: Replayed | undefined;
  try {
    read = await replaySegment(claimed);
  } catch (error) {
    await moveBack(claimed.path, file.path);
    done.unreadable.push({ path: file.path, reason: messageOf(error) });
    return;
  }
  if (read === undefined) {
    done.taken += 1;
    return;
  }
  if (claimed.bytes === 0) return remove(claimed.path);
  const { block, damaged, tailBytes } = read;
  try {
    const delivery = { store: file.store, failures: 0, firstFailedAt: 0 };
    if (block !== undefined) await deliver(block, delivery, signal);
  } catch (error) {
    await moveBack(claimed.path, file.path);
    signal.throwIfAborted();
    if (error instanceof ClickHouseError) {
      done.declined.push({ path: file.path, reason: messageOf(error) });
      return;
    }
    throw new Error(`The store did not take ${file.path}: ${messageOf(error)}.`);
  }
  if (damaged === 0 && tailBytes === 0) await remove(claimed.path);
  else {
    await moveBack(claimed.path, file.path + keptSuffix);
    done.kept.push(file.path + keptSuffix);
  }
  done.files += 1;
  done.bytes += claimed.bytes;
  done.events += block?.events ?? 0;
  done.damaged += damaged;
  done.tailBytes += tailBytes;
}

/** Its folder may have been removed meanwhile, by a process that took the other files over. */
async function moveBack(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

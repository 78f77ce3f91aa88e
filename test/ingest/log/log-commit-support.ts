import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import type { Committed } from '../../../ingest/commit/commit.js';
import { deliverToStore } from '../../../ingest/log/deliver.js';
import { createLogCommit } from '../../../ingest/log/log-commit.js';
import type { SealedSegment } from '../../../ingest/log/segment.js';
import { createSegmentQueue } from '../../../ingest/log/segment-queue.js';
import { systemClock } from '../../../lib/clock.js';
import type { Deferred } from '../../../lib/deferred.js';
import { markerOf } from '../../../lib/outbox/log/frame.js';
import { createLogFile, type LogFile } from '../../../lib/outbox/log/log-file.js';
import { createLogSpace } from '../../../lib/outbox/log/log-space.js';
import { ServiceError } from '../../../lib/service-error.js';
import { createSpareBuffers } from '../../../lib/spare-buffers.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { stopTime } from '../../support/fake-time.js';
import { readFrames } from '../../support/read-frames.js';
import { silentLog } from '../../support/silent-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { type LoggedBatch, makeLoggedBatch, makePage, makeSmallBatch, now, type Page } from './support.js';

type Outcome = { state: 'waiting' | 'acknowledged' | 'refused'; committed?: Committed; error?: unknown };

/** Behaviour of a disk that a test cannot bring about on a real one. */
type Disk = {
  /** Writes are on the disk, and their syncs end with this. */
  sync: Deferred<void> | undefined;
  /** Writes that have begun. */
  writes: number;
  /** The reason of the next write, creation or close to fail. */
  writeError: Error | undefined;
  createError: Error | undefined;
  closeError: Error | undefined;
};

/** Files in a folder, of a disk that does what the test says. */
function makeDisk(folder: string) {
  const disk: Disk = {
    ...{ sync: undefined, writes: 0 },
    ...{ writeError: undefined, createError: undefined, closeError: undefined },
  };
  let count = 0;
  async function createFile(): Promise<LogFile> {
    count += 1;
    if (disk.createError !== undefined) throw disk.createError;
    const file = await createLogFile(join(folder, `f.${count}.log`), { mayBeLost: () => false });
    return {
      path: file.path,
      get bytes() {
        return file.bytes;
      },
      async append(version, chunks, isWanted) {
        const { sync, writeError } = disk;
        disk.writeError = undefined;
        disk.writes += 1;
        if (writeError !== undefined) throw writeError;
        await sync?.promise;
        await file.append(version, chunks, isWanted);
      },
      async close() {
        await file.close();
        if (disk.closeError !== undefined) throw disk.closeError;
      },
    };
  }
  return { disk, createFile };
}

export async function setUp(t: Test, { bytesMax = 1024 ** 3, isTimeStopped = true } = {}) {
  const pass = isTimeStopped ? stopTime(t) : async () => {};
  const folder = await temporaryFolder(t);
  const { disk, createFile } = makeDisk(folder);
  const [store, buffer, space] = [makeControlledStore(), makeControlledBuffer(), createLogSpace(bytesMax)];
  const metrics = { inserted() {}, insertFailed() {} };
  const queue = createSegmentQueue({
    deliver: deliverToStore({ store, buffer, log: silentLog, metrics }),
    async remove({ path, bytes }) {
      await rm(path);
      space.remove(bytes);
    },
    async cut() {},
    ...{ recycle: (block: Block) => block.clear(), onDamage() {}, log: silentLog },
  });
  const left: SealedSegment[] = [];
  let syncs = 0;
  const commit = createLogCommit({
    ...{ store: 'default', createFile, space, queue, clock: systemClock, log: silentLog },
    isBehind: () => queue.isBehind,
    makeBlock: () => new Block(),
    spareBuffers: createSpareBuffers(0),
    onLeft: (segments) => left.push(...segments),
    onSync() {
      syncs += 1;
    },
  });
  t.teardown(async () => {
    const closed = queue.close(0);
    await pass(10);
    await closed;
  });
  const page = makePage();

  /** Adds a batch and watches its outcome. `leftMs` is the time until its sender gets an answer in any case. */
  function addBatch({ events, callers, arrival }: LoggedBatch, of: Page = page, leftMs = 8_500): Outcome {
    const outcome: Outcome = { state: 'waiting' };
    commit.add(events, callers, { pageId: of.id, at: arrival, answerBy: performance.now() + leftMs }).then(
      (committed) => Object.assign(outcome, { state: 'acknowledged', committed }),
      (error: unknown) => Object.assign(outcome, { state: 'refused', error }),
    );
    return outcome;
  }
  const add = (endpoint: string, leftMs?: number) => addBatch(makeSmallBatch(page, endpoint), page, leftMs);
  /** Waits for files and for what is due now, while time stands still. */
  const until = (what: string, condition: () => boolean | Promise<boolean>) =>
    waitUntil(what, async () => {
      await pass(0);
      return condition();
    });
  const done = (...outcomes: Outcome[]) =>
    until('the batches have their answers', () => outcomes.every(({ state }) => state !== 'waiting'));
  const delivered = () => until('the log is empty', async () => (await readdir(folder)).length === 0);
  const endpoints = () => store.rows().map(({ endpoint, requests }) => `${requests} ${endpoint}`);
  return {
    ...{
      pass,
      folder,
      disk,
      store,
      queue,
      commit,
      page,
      space,
      left,
      addBatch,
      add,
      until,
      done,
      delivered,
      endpoints,
    },
    syncs: () => syncs,
  };
}

export const refusal = ({ state, error }: Outcome): [string, number | undefined] | undefined =>
  state === 'refused' && error instanceof ServiceError ? [error.kind, error.retryAfterSeconds] : undefined;

export async function recordsIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => readFrames(await readFile(join(folder, name)), markerOf(name)).frames.length),
  );
}

/** Batches of a thousand events in as many rows, with messages of this length. */
export const largeBatches = (page: Page, count: number, messageLength: number): LoggedBatch[] =>
  Array.from({ length: count }, (_, i) =>
    makeLoggedBatch(
      page,
      Array.from({ length: 1_000 }, (_, j) => ({
        ...{ kind: 'service' as const, source: 'shop', endpoint: `/${i}/${j}`, method: 'GET' },
        ...{ status: 500, at: now, ms: j, message: 'x'.repeat(messageLength) },
      })),
    ),
  );

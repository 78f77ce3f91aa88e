import { access, appendFile, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import t, { type Test } from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import type { SealedSegment } from '../../../ingest/log/segment.js';
import { createSegmentQueue, type Deliver } from '../../../ingest/log/segment-queue.js';
import { deferred } from '../../../lib/deferred.js';
import { captureLog } from '../../support/capture-log.js';
import { stopTime } from '../../support/fake-time.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { largeBatches } from './log-commit-support.js';
import { blockOf, makePage, makeSmallBatch, now, writeSegment } from './support.js';

/** A queue on real files whose deliveries do what the test says. Time stands still until the test passes it. */
async function setUp(t: Test, { takesTurns = false } = {}) {
  const pass = stopTime(t);
  const folder = await temporaryFolder(t);
  const captured = captureLog();
  const page = makePage();
  const attempts: { token: string; bytes: Buffer; at: number }[] = [];
  const recycled: Block[] = [];
  const cut: string[] = [];
  const state = { damaged: 0, deliver: (async () => {}) as Deliver, removal: Promise.resolve() };
  const queue = createSegmentQueue({
    deliver(block, delivery, stopping) {
      attempts.push({ token: block.token, bytes: Buffer.from(block.bytes), at: performance.now() });
      return state.deliver(block, delivery, stopping);
    },
    async remove({ path }) {
      await state.removal;
      await rm(path, { force: true });
    },
    async cut({ path }) {
      cut.push(basename(path));
    },
    recycle(block) {
      block.clear();
      recycled.push(block);
    },
    onDamage() {
      state.damaged += 1;
    },
    takesTurns,
    log: captured.log,
  });
  t.teardown(async () => {
    const closed = queue.close(0);
    await pass(10);
    await closed;
  });
  let count = 0;
  /** Writes a segment of one event in each of two records; its endpoint is the number of the segment. */
  async function write(keepsBlock = false): Promise<SealedSegment> {
    count += 1;
    const records = [1, 2].map(() => [makeSmallBatch(page, `/${count}`)]);
    const options = { folder, name: `f.${count}`, keepsBlock, since: now + count };
    return writeSegment(t, records, { ...options, ...(keepsBlock && { pages: new Set([page.id]) }) });
  }
  const tokens = () => attempts.map(({ token }) => token);
  return { pass, page, queue, state, attempts, tokens, recycled, cut, write, text: captured.text };
}

const exists = ({ path }: SealedSegment): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Puts a link to itself in the place of the file, which no process can read, not even root. The returned function
 * gives the file back in one step: a read in between would take it for gone.
 */
async function makeUnreadable({ path }: SealedSegment): Promise<() => Promise<void>> {
  const saved = `${path}.saved`;
  await rename(path, saved);
  await symlink(path, path);
  return () => rename(saved, path);
}

const fail: Deliver = async () => {
  throw new Error('The connection was closed.');
};

t.test('a segment is the oldest until its file is gone', async (t) => {
  const { queue, state, tokens, write } = await setUp(t);
  const removal = deferred<void>();
  state.removal = removal.promise;
  const [first, second] = [await write(true), await write(true)];
  queue.push(first);
  queue.push(second);
  await waitUntil('the first is delivered', () => tokens().length === 1);
  t.not(queue.oldest, undefined);
  t.ok(await exists(first));
  removal.resolve();
  await waitUntil('all are delivered', () => queue.oldest === undefined);
  t.notOk(await exists(first));
  t.strictSame(tokens(), ['f.1', 'f.2']);
});

t.test('segments are delivered in order, and leave the disk', async (t) => {
  const { page, queue, attempts, tokens, write } = await setUp(t);
  const segments = [await write(true), await write(), await write(true)];
  for (const segment of segments) queue.push(segment);
  await waitUntil('all are delivered', () => queue.oldest === undefined);
  t.strictSame(tokens(), ['f.1', 'f.2', 'f.3']);
  for (const [i, { bytes }] of attempts.entries()) {
    const batch = makeSmallBatch(page, `/${i + 1}`);
    t.ok(bytes.equals(encodeBlock(blockOf([batch, batch]))));
  }
  t.strictSame(await Promise.all(segments.map(exists)), [false, false, false]);
});

t.test('one delivery runs at a time', async (t) => {
  const { queue, state, tokens, write } = await setUp(t);
  const end = deferred<void>();
  state.deliver = () => end.promise;
  for (const segment of [await write(true), await write(true)]) queue.push(segment);
  await waitUntil('the first one leaves', () => tokens().length > 0);
  t.strictSame(tokens(), ['f.1']);
  end.resolve();
  await waitUntil('all are delivered', () => queue.oldest === undefined);
  t.strictSame(tokens(), ['f.1', 'f.2']);
});

t.test('every attempt has the same bytes and token, and pauses grow to 6 s at most', async (t) => {
  const { pass, queue, state, attempts, cut, write } = await setUp(t);
  state.deliver = fail;
  queue.push(await write(true));
  queue.push(await write());
  await pass(40_000);
  state.deliver = async () => {};
  await pass(6_000);
  await waitUntil('both are delivered', () => queue.oldest === undefined);
  const firsts = attempts.filter(({ token }) => token === 'f.1');
  t.equal(firsts.length, attempts.length - 1, 'the second one waits for the first');
  t.strictSame(
    [...new Set(cut)],
    ['f.1.log'],
    'a file that is not delivered at once keeps its records alone',
  );
  t.ok(firsts.every(({ bytes }) => bytes.equals(firsts[0]?.bytes ?? Buffer.alloc(0))));
  const pauses = firsts.slice(1).map(({ at }, i) => at - (firsts[i]?.at ?? 0));
  for (const [i, pause] of pauses.entries()) {
    const least = Math.min(250 * 2 ** i, 5_000);
    t.ok(pause >= least && pause <= least * 1.2 + 50, `pause ${i} of ${pause} ms`);
  }
});

t.test('two blocks wait in memory, further ones on the disk, with the same bytes', async (t) => {
  const { page, queue, state, attempts, recycled, cut, write } = await setUp(t);
  const end = deferred<void>();
  state.deliver = () => end.promise;
  const segments = [
    await write(true),
    await write(true),
    await write(true),
    await write(true),
    await write(true),
  ];
  for (const segment of segments) queue.push(segment);
  // The first one is being encoded, and the second waits in memory.
  t.equal(recycled.length, 3);
  t.strictSame(cut, ['f.3.log', 'f.4.log', 'f.5.log'], 'further files keep their records alone');
  end.resolve();
  await waitUntil('all are delivered', () => queue.oldest === undefined);
  t.equal(recycled.length, 5);
  t.equal(new Set(recycled).size, 5, 'no block is given back twice');
  for (const [i, { bytes }] of attempts.entries()) {
    const batch = makeSmallBatch(page, `/${i + 1}`);
    t.ok(bytes.equals(encodeBlock(blockOf([batch, batch]))), `block ${i + 1}`);
  }
});

t.test('a file that cannot be read goes behind the others and delays none', async (t) => {
  const { pass, queue, tokens, write, text } = await setUp(t);
  const unreadable = await write();
  const repair = await makeUnreadable(unreadable);
  queue.push(unreadable);
  queue.push(await write());
  await waitUntil('the other one is delivered', () => tokens().includes('f.2'));
  await pass(30_000);
  t.equal(queue.isBehind, false, 'the store takes what it gets');
  queue.push(await write(true));
  await waitUntil('a new one is delivered at once', () => tokens().includes('f.3'));
  t.match(text(), /could not be read/);
  t.equal(queue.oldest, unreadable.since);
  await repair();
  await waitUntil('it is delivered', () => pass(1_000).then(() => queue.oldest === undefined));
  t.strictSame(tokens(), ['f.2', 'f.3', 'f.1']);
});

t.test('failures to read do not count as refusals of the store', async (t) => {
  const { pass, queue, state, write } = await setUp(t);
  const unreadable = await write();
  const repair = await makeUnreadable(unreadable);
  queue.push(unreadable);
  await pass(10_000);
  const seen: number[] = [];
  state.deliver = async (_block, { failures }) => {
    seen.push(failures);
  };
  await repair();
  await waitUntil('it is delivered', () => pass(1_000).then(() => queue.oldest === undefined));
  t.strictSame(seen, [0]);
});

t.test('a file without an event is removed, and one that is gone needs no delivery', async (t) => {
  const { queue, attempts, write, text } = await setUp(t);
  const [empty, gone] = [await write(), await write()];
  await rm(gone.path);
  queue.push({ ...empty, bytes: 0 });
  queue.push(gone);
  await waitUntil('none waits', () => queue.oldest === undefined);
  t.equal(attempts.length, 0);
  t.equal(await exists(empty), false);
  t.match(text(), /is gone/);
});

t.test('damage is counted and logged, and the records around it are delivered', async (t) => {
  const { queue, state, attempts, write, text } = await setUp(t);
  const [damaged, torn] = [await write(), await write()];
  const content = await readFile(damaged.path);
  content.writeUInt8(content.readUInt8(30) ^ 1, 30);
  await writeFile(damaged.path, content);
  await appendFile(torn.path, 'a record that was not written to its end');
  queue.push(damaged);
  queue.push({ ...torn, bytes: torn.bytes + 40 });
  await waitUntil('both are delivered', () => queue.oldest === undefined);
  t.equal(attempts.length, 2);
  t.equal(state.damaged, 1);
  t.match(text(), /is damaged; the records around the damage are stored/);
  t.match(text(), /"tailBytes":40/);
});

t.test('a close ends the pause, and leaves on the disk what the store does not take in time', async (t) => {
  const { pass, queue, state, tokens, write } = await setUp(t);
  const segments = [await write(true), await write()];
  for (const segment of segments) queue.push(segment);
  state.deliver = (_block, _delivery, stopping) =>
    new Promise((_, reject) => stopping.addEventListener('abort', () => reject(new Error('Stopped.'))));
  await waitUntil('all wait for the first one', () => tokens().length > 0);
  let left: readonly SealedSegment[] | undefined;
  void queue.close(5_000).then((rest) => {
    left = rest;
  });
  await pass(4_900);
  t.equal(left, undefined);
  await pass(200);
  t.match(left, [{ token: 'f.1' }, { token: 'f.2' }]);
  t.strictSame(await Promise.all(segments.map(exists)), [true, true]);
});

t.test('a close delivers what the store takes, without the rest of a pause', async (t) => {
  const { queue, state, tokens, write } = await setUp(t);
  state.deliver = fail;
  for (const segment of [await write(true), await write()]) queue.push(segment);
  await waitUntil('the first attempt has failed', () => queue.isBehind);
  state.deliver = async () => {};
  t.strictSame(await queue.close(5_000), []);
  t.strictSame(tokens(), ['f.1', 'f.1', 'f.2']);
});

t.test('the segments of a page, and of processes whose pages are not known', async (t) => {
  const { queue, state, write } = await setUp(t);
  const other = makePage();
  const end = deferred<void>();
  state.deliver = () => end.promise;
  const [own, unknown] = [await write(true), await write()];
  queue.push(own);
  queue.push(unknown);
  const [id] = own.pages ?? [];
  if (id === undefined) throw new Error('The segment has no page.');
  t.strictSame(
    queue.of(id).map(({ since }) => since),
    [own.since, unknown.since],
  );
  t.strictSame(
    queue.of(other.id).map(({ since }) => since),
    [unknown.since],
  );
  const waited = Promise.all(queue.of(id).map(({ delivered }) => delivered.promise));
  end.resolve();
  await waited;
  t.strictSame(queue.of(id), []);
});

t.test('where segments take turns, one that is refused holds up no other', async (t) => {
  const { pass, queue, state, attempts, tokens, write } = await setUp(t, { takesTurns: true });
  state.deliver = async ({ token }) => {
    if (token === 'f.1') throw new Error('The page is refused.');
  };
  for (const segment of [await write(), await write(), await write()]) queue.push(segment);
  await waitUntil('the first attempt has failed', () => attempts.length === 1);
  await pass(1_000);
  await waitUntil('the others are delivered', () => tokens().includes('f.2') && tokens().includes('f.3'));
  await pass(5_000);
  await waitUntil(
    'the refused one is tried again',
    () => tokens().filter((token) => token === 'f.1').length > 1,
  );
  t.equal(tokens()[1], 'f.2');
});

for (const keepsBlock of [true, false]) {
  const slices = keepsBlock ? 'encoding' : 'replaying';
  t.test(`a stop between two slices of ${slices} loses nothing`, async (t) => {
    const { pass, queue, state, attempts } = await setUp(t);
    const batches = largeBatches(makePage(), 20, 10);
    const segment = await writeSegment(t, [batches], { keepsBlock });
    const replayed = t.capture(Block.prototype, 'add', Block.prototype.add);
    state.deliver = async (_block, _delivery, stopping) => stopping.throwIfAborted();
    queue.push({ ...segment });
    if (!keepsBlock) await waitUntil('the replay has begun', () => replayed().length > 0);
    const closed = queue.close(0);
    await pass(10);
    t.match(await closed, [{ token: segment.token }]);
    t.ok(await exists(segment));
    const delivered: Buffer[] = [];
    const next = createSegmentQueue({
      deliver: async ({ bytes }) => void delivered.push(bytes),
      remove: ({ path }) => rm(path),
      async cut() {},
      ...{ recycle() {}, onDamage() {}, log: captureLog().log },
    });
    next.push({ ...segment, block: undefined });
    await waitUntil('it is delivered', () => next.oldest === undefined);
    t.ok(delivered[0]?.equals(encodeBlock(blockOf(batches))));
    t.strictSame([delivered.length, attempts.length, await exists(segment)], [1, 1, false]);
  });
}

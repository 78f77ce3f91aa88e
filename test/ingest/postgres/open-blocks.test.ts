import t, { type Test } from 'tap';
import { createOpenBlocks } from '../../../ingest/postgres/open-blocks.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { stopTime } from '../../support/fake-time.js';
import { silentLog } from '../../support/silent-log.js';
import { waitUntil } from '../../support/wait-until.js';
import { largeBatches } from '../log/log-commit-support.js';
import { blockOf, makePage, makeSmallBatch } from '../log/support.js';

/** Writes to blocks that a buffer has, which notes the tokens of those that left it. Time stands still. */
function setUp(t: Test) {
  const pass = stopTime(t);
  const store = makeControlledStore();
  const removed: string[] = [];
  const buffer = {
    remove: async (token: string) => void removed.push(token),
    release: async () => {},
  };
  const metrics = { inserted() {}, insertFailed() {} };
  const blocks = createOpenBlocks({ store, buffer, log: silentLog, metrics });
  const page = makePage();
  /** Writes a batch of a thousand events in as many rows, which are the same for each batch. */
  function write({ bytes = 20_000, batches = largeBatches(page, 1, 0) } = {}): boolean {
    const block = blockOf(batches);
    const target = blocks.join(block);
    if (target === undefined) return false;
    blocks.end(target, { block, bytes, batches: [{ pageId: page.id, at: Date.now() }] });
    return true;
  }
  const requests = () => store.rows().reduce((sum, row) => sum + row.requests, 0);
  return { pass, store, removed, blocks, page, write, requests };
}

t.test('under load a block takes five seconds, and otherwise one', async (t) => {
  const { pass, store, removed, write, requests } = setUp(t);
  const inserts: number[] = [];
  for (const writesPerSecond of [19, 20]) {
    const before = store.attempts.length;
    for (let second = 0; second < 10; second += 1) {
      for (let i = 0; i < writesPerSecond; i += 1) write();
      await pass(1_000);
    }
    inserts.push(store.attempts.length - before);
  }
  t.strictSame(inserts, [10, 2]);
  t.equal(requests(), 390_000);
  t.equal(removed.length, 12);
});

t.test('under load a read brings what was acknowledged to the store at once, with one insert', async (t) => {
  const { pass, store, blocks, page, write, requests } = setUp(t);
  for (let i = 0; i < 30; i += 1) write();
  await pass(2_000);
  t.equal(store.attempts.length, 0, 'the block goes on');
  const reads = Array.from({ length: 8 }, () => blocks.settle(page.id));
  t.strictSame(await Promise.all(reads), Array(8).fill(undefined));
  t.strictSame([store.attempts.length, requests()], [1, 30_000]);
});

t.test('a block whose parts are large leaves at once', async (t) => {
  const { pass, store, write } = setUp(t);
  write({ bytes: 16 * 1024 * 1024 - 1 });
  await pass(10);
  t.equal(store.attempts.length, 0);
  write({ bytes: 1 });
  await pass(10);
  t.equal(store.attempts.length, 1);
});

t.test('while large blocks are on their way, writes wait in the buffer alone', async (t) => {
  const { store, removed, page, write } = setUp(t);
  store.behaviour = 'hang';
  const small = { batches: [makeSmallBatch(page, '/a')], bytes: 16 * 1024 * 1024 };
  t.equal(write(small), true);
  t.equal(write(small), true, 'two blocks of one row have room');
  const large = { batches: largeBatches(page, 34, 1_000), bytes: 16 * 1024 * 1024 };
  t.strictSame(
    [write(large), write(large)],
    [true, false],
    'a third one of 100 MB has, and a fourth one has not',
  );
  store.behaviour = 'store';
  store.release();
  await waitUntil('the three have left', () => removed.length === 3);
  t.equal(write(small), true);
});

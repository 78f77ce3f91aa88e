import t from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock, encodedBytesMax } from '../../../ingest/commit/encode-block.js';
import { createReadSeals, isFull, startSealTimer } from '../../../ingest/commit/sealing.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { stopTime } from '../../support/fake-time.js';
import { largeBatches } from '../log/log-commit-support.js';
import { addTo, makePage } from '../log/support.js';

/** Blocks one after another: a sealed one is followed by an open one. */
function makeBlocks() {
  const state = { open: { isSealed: false }, seals: 0 };
  const reads = createReadSeals<{ isSealed: boolean }>(seal);
  function seal(open: { isSealed: boolean }): void {
    if (open !== state.open) throw new Error('A block was sealed twice.');
    open.isSealed = true;
    state.open = { isSealed: false };
    state.seals += 1;
    reads.noteSealed();
  }
  const read = (pageId: PageId): void => void reads.ask(pageId, state.open);
  return { state, read, seal: () => seal(state.open) };
}

const makePages = (count: number): PageId[] => Array.from({ length: count }, (_, i) => newId<PageId>(i));

t.test('a read seals at once, and the reads that come with it share the seal', async (t) => {
  const pass = stopTime(t);
  const { state, read } = makeBlocks();
  const [page, other] = makePages(2) as [PageId, PageId];
  for (let i = 0; i < 5; i += 1) for (const one of [page, other]) read(one);
  await pass(0);
  t.equal(state.seals, 1);
  for (let i = 0; i < 5; i += 1) for (const one of [page, other]) read(one);
  await pass(95);
  t.equal(state.seals, 1, 'the next seal comes 100 ms later');
  await pass(20);
  t.equal(state.seals, 2);
});

t.test('a page that is polled seals twenty times in a row, and then twice a second', async (t) => {
  const pass = stopTime(t);
  const { state, read } = makeBlocks();
  const [page, other] = makePages(2) as [PageId, PageId];
  const counts: number[] = [];
  for (let second = 0; second < 20; second += 1) {
    for (let i = 0; i < 50; i += 1) {
      read(page);
      await pass(20);
    }
    counts.push(state.seals);
  }
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  t.ok(first >= 8 && first <= 11, `${first} in the first second`);
  t.ok(last >= 54 && last <= 61, `${last} in twenty seconds`);
  await pass(1_000);
  const before = state.seals;
  read(other);
  await pass(0);
  t.equal(state.seals, before + 1, 'another page does not wait');
});

t.test('pages that are read seal ten times a second together', async (t) => {
  const pass = stopTime(t);
  const { state, read } = makeBlocks();
  const pages = makePages(100);
  for (let i = 0; i < 200; i += 1) {
    for (const page of pages) read(page);
    await pass(10);
  }
  t.ok(state.seals >= 18 && state.seals <= 21, `${state.seals} in two seconds`);
});

t.test('a read does not seal again what was sealed while it waited', async (t) => {
  const pass = stopTime(t);
  const { state, read, seal } = makeBlocks();
  const [page] = makePages(1) as [PageId];
  seal();
  read(page);
  await pass(50);
  seal();
  await pass(200);
  t.equal(state.seals, 2);
  read(page);
  await pass(0);
  t.equal(state.seals, 3);
});

t.test('the timer seals after one second, or after five if the block goes on', async (t) => {
  const pass = stopTime(t);
  const sealed: string[] = [];
  startSealTimer(
    () => sealed.push('short'),
    () => false,
  );
  startSealTimer(
    () => sealed.push('long'),
    () => true,
  );
  const [stopEarly, stopLate] = [true, true].map((goesOn) =>
    startSealTimer(
      () => sealed.push('stopped'),
      () => goesOn,
    ),
  );
  await pass(900);
  stopEarly?.();
  t.strictSame(sealed, []);
  await pass(105);
  t.strictSame(sealed, ['short']);
  stopLate?.();
  await pass(3_900);
  t.strictSame(sealed, ['short']);
  await pass(100);
  t.strictSame(sealed, ['short', 'long']);
});

t.test('a block is full by its rows, and by its bytes', async (t) => {
  for (const [count, messageLength] of [
    [48, 0],
    [11, 1_000],
  ] as const) {
    const block = new Block();
    const isFullAfter = largeBatches(makePage(), count, messageLength).map((batch) => {
      addTo(block, batch);
      return isFull(block);
    });
    t.equal(isFullAfter.indexOf(true), count - 1);
  }
});

t.test('the bound of the bytes is above them, also when messages are replaced', async (t) => {
  const block = new Block();
  const page = makePage();
  for (const text of ['é'.repeat(200), '', '😀'.repeat(100), 'x']) {
    const [batch] = largeBatches(page, 1, 0);
    if (batch === undefined) throw new Error('There is no batch.');
    const at = Float64Array.from(batch.events.at, (time) => time + text.length);
    addTo(block, {
      ...batch,
      events: { ...batch.events, at, message: batch.events.message.map(() => text) },
    });
    const bytes = encodeBlock(block).length;
    t.ok(encodedBytesMax(block) >= bytes, `${bytes} bytes`);
  }
  block.clear();
  t.equal(encodedBytesMax(block), 0);
});

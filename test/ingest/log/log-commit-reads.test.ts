import t from 'tap';
import { deferred } from '../../../lib/deferred.js';
import { largeBatches, setUp } from './log-commit-support.js';
import { makePage, makeSmallBatch } from './support.js';

t.test('a read brings what its page has sent to the store, and waits for nothing else', async (t) => {
  const { page, store, commit, add, done, endpoints } = await setUp(t);
  t.equal(await commit.settle(page.id), undefined);
  await done(add('/a'));
  t.equal(await commit.settle(makePage().id), undefined);
  t.equal(store.attempts.length, 0, 'the read of another page');
  t.equal(await commit.settle(page.id), undefined);
  t.strictSame(endpoints(), ['1 /a']);
  t.equal(commit.oldest, undefined);
});

t.test('a read that begins during a write waits for it', async (t) => {
  const { pass, page, disk, commit, add, endpoints, until } = await setUp(t);
  disk.sync = deferred<void>();
  add('/a');
  await pass(10);
  let isSettled = false;
  void commit.settle(page.id).then(() => {
    isSettled = true;
  });
  await pass(100);
  t.equal(isSettled, false);
  disk.sync.resolve();
  await until('the read goes on', () => isSettled);
  t.strictSame(endpoints(), ['1 /a']);
});

t.test('a read waits 2 s for a store that hangs, and not at all for one that has failed', async (t) => {
  const { pass, page, store, commit, add, done, until } = await setUp(t);
  store.behaviour = 'hang';
  const since = Date.now();
  await done(add('/a'));
  const settled: (number | undefined)[] = [];
  void commit.settle(page.id).then((oldest) => settled.push(oldest));
  await until('the block is on its way', () => store.attempts.length > 0);
  await pass(1_900);
  t.strictSame(settled, []);
  await pass(200);
  t.strictSame(settled, [since], 'the read says from when on events are missing');
  t.equal(commit.oldest, since);
  store.behaviour = 'fail';
  await pass(20_000);
  t.equal(await commit.settle(page.id), since);
  t.equal(await commit.settle(makePage().id), undefined, 'another page misses nothing');
});

t.test('a batch has a warning once the store has failed, until it is back', async (t) => {
  const { pass, store, add, done, until, delivered } = await setUp(t);
  store.behaviour = 'fail';
  const before = add('/a');
  await done(before);
  await pass(1_000);
  await until('the store has failed', () => store.attempts.length > 0);
  const during = add('/b');
  await done(during);
  store.behaviour = 'store';
  await pass(6_000);
  await delivered();
  const after = add('/c');
  await done(after);
  t.strictSame(
    [before, during, after].map(({ committed }) => committed?.isWaiting),
    [false, true, false],
  );
});

t.test('under load a read brings what was acknowledged to the store at once, with one insert', async (t) => {
  const { pass, page, store, commit, addBatch, done } = await setUp(t);
  const [batch = makeSmallBatch(page, '/a')] = largeBatches(page, 1, 0);
  for (let i = 0; i < 30; i += 1) {
    await done(addBatch(batch));
    await pass(5);
  }
  await pass(2_000);
  t.equal(store.attempts.length, 0, 'the segment goes on');
  t.strictSame(
    await Promise.all(Array.from({ length: 8 }, () => commit.settle(page.id))),
    Array(8).fill(undefined),
  );
  t.equal(store.attempts.length, 1);
  t.equal(
    store.rows().reduce((sum, { requests }) => sum + requests, 0),
    30_000,
  );
});

t.test('reads seal ten segments a second at most, and show all that was acknowledged', async (t) => {
  const { pass, page, store, commit, addBatch, done, until } = await setUp(t);
  let passedMs = 0;
  for (let i = 0; i <= 5; i += 1) {
    await done(addBatch(makeSmallBatch(page, `/${i}`)));
    const settled: (number | undefined)[] = [];
    void commit.settle(page.id).then((oldest) => settled.push(oldest));
    await until('the read goes on', async () => {
      await pass(5);
      passedMs += 5;
      return settled.length > 0;
    });
    t.strictSame(settled, [undefined]);
    t.equal(store.rows().length, i + 1);
  }
  t.equal(store.attempts.length, 6);
  t.ok(passedMs >= 500, `${passedMs} ms of the stopped time for five seals after the first`);
});

t.test(
  'a read does not wait for a file that cannot be read, and says since when its events are missing',
  async (t) => {
    const { folder, page, queue, commit, add, done, until, endpoints } = await setUp(t);
    const since = Date.now() - 60_000;
    // A folder in the place of a file.
    const left = { store: 'default', token: 'left', path: folder, bytes: 1 } as const;
    queue.push({ ...left, since, pages: undefined, block: undefined });
    await until('it could not be read', () => queue.of(page.id).some(({ isReadable }) => !isReadable));
    await done(add('/a'));
    t.equal(await commit.settle(page.id), since);
    t.strictSame(endpoints(), ['1 /a']);
  },
);

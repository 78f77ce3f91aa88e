import { readdir } from 'node:fs/promises';
import t from 'tap';
import { deferred } from '../../../lib/deferred.js';
import { largeBatches, recordsIn, refusal, setUp } from './log-commit-support.js';
import { makeSmallBatch } from './support.js';

t.test('a batch is acknowledged when the disk has it, and not before', async (t) => {
  const { pass, folder, disk, store, add, done } = await setUp(t);
  disk.sync = deferred<void>();
  const sent = add('/a');
  await pass(500);
  t.equal(sent.state, 'waiting');
  disk.sync.resolve();
  await done(sent);
  t.match(sent, { state: 'acknowledged', committed: { rows: 1, writtenTo: 'log', isWaiting: false } });
  t.strictSame(await recordsIn(folder), [1]);
  t.equal(store.attempts.length, 0, 'nobody waits for the store');
});

t.test('batches that arrive during a write share the next one', async (t) => {
  const { pass, folder, disk, add, done, syncs } = await setUp(t);
  disk.sync = deferred<void>();
  const first = add('/a');
  await pass(10);
  const others = ['/b', '/c', '/a'].map((endpoint) => add(endpoint));
  await pass(10);
  disk.sync.resolve();
  await done(first, ...others);
  t.equal(syncs(), 2);
  t.strictSame(await recordsIn(folder), [2]);
});

t.test(
  'a lone sender of small batches waits for the disk alone, sooner than one of large batches',
  async (t) => {
    const { pass, page, disk, add, addBatch, done } = await setUp(t);
    /** Sends one batch after another until one has to wait, and returns how many did not. */
    async function sendUntilPaced(send: () => ReturnType<typeof add>): Promise<number> {
      for (let sent = 0; ; sent += 1) {
        const { writes } = disk;
        const outcome = send();
        await pass(0);
        const isPaced = disk.writes === writes;
        if (isPaced) await pass(5);
        await done(outcome);
        if (isPaced) return sent;
      }
    }
    const [large] = largeBatches(page, 1, 0);
    if (large === undefined) throw new Error('There is no batch.');
    await done(add('/a'));
    await sendUntilPaced(() => add('/a'));
    // Five milliseconds have passed for one that waited, and it has left.
    t.equal(await sendUntilPaced(() => add('/a')), 9);
    await sendUntilPaced(() => addBatch(large));
    t.equal(await sendUntilPaced(() => addBatch(large)), 4);
  },
);

t.test('what comes within a second goes to the store as one block, and leaves the disk', async (t) => {
  const { pass, store, add, done, delivered, endpoints, space } = await setUp(t);
  await done(add('/a'), add('/b'));
  await pass(500);
  await done(add('/a'));
  t.ok(space.bytes > 0);
  await pass(450);
  t.equal(store.attempts.length, 0);
  await pass(100);
  await delivered();
  t.match(store.attempts, [{ token: 'f.1' }]);
  t.strictSame(endpoints(), ['2 /a', '1 /b']);
  t.equal(space.bytes, 0);
});

for (const [what, count, messageLength] of [
  ['rows', 48, 0],
  ['bytes', 9, 1_000],
] as const) {
  t.test(`a segment of many ${what} goes to the store at once`, async (t) => {
    const bytesMax = 64 * 1024 * 1024;
    const { pass, page, store, addBatch, done, delivered } = await setUp(t, { bytesMax });
    for (const batch of largeBatches(page, count, messageLength)) {
      await done(addBatch(batch));
      await pass(5);
    }
    await delivered();
    t.equal(store.attempts.length, 1);
    t.equal(store.rows().length, count * 1_000);
  });
}

t.test('under load a segment takes five seconds, and otherwise one', async (t) => {
  const { pass, page, store, addBatch, done, delivered } = await setUp(t);
  const batches = largeBatches(page, 1, 0);
  /** Takes 100 ms. */
  async function addAll(count: number): Promise<void> {
    for (let i = 0; i < 20; i += 1) {
      if (i < count) await done(...batches.map((batch) => addBatch(batch)));
      await pass(5);
    }
  }
  const inserts: number[] = [];
  for (const eventsPerSecond of [19_000, 20_000]) {
    const before = store.attempts.length;
    for (let second = 0; second < 10; second += 1) {
      await addAll(eventsPerSecond / 1_000);
      await pass(900);
    }
    await delivered();
    inserts.push(store.attempts.length - before);
  }
  t.strictSame(inserts, [10, 2]);
  const counted = store.rows().reduce((sum, { requests }) => sum + requests, 0);
  t.equal(counted, 390_000);
});

t.test('blocks stay within their bound of rows while the disk is slow', async (t) => {
  const { pass, page, disk, store, addBatch, until, done, delivered } = await setUp(t);
  const batches = largeBatches(page, 72, 0);
  const syncs = [deferred<void>(), deferred<void>()] as const;
  disk.sync = syncs[0];
  const first = addBatch(batches[0] ?? makeSmallBatch(page, '/a'));
  await until('the first write has begun', () => disk.writes === 1);
  const second = batches.slice(1, 70).map((batch) => addBatch(batch));
  disk.sync = syncs[1];
  syncs[0].resolve();
  await until('the second write has begun', () => disk.writes === 2);
  const third = batches.slice(70).map((batch) => addBatch(batch));
  syncs[1].resolve();
  await done(first, ...second, ...third);
  const all = [first, ...second, ...third];
  t.ok(second.some((one) => refusal(one)?.[0] === 'storeBusy'));
  t.ok(third.every(({ state }) => state === 'acknowledged'));
  const taken = all.filter(({ state }) => state === 'acknowledged').length;
  await pass(1_000);
  await delivered();
  t.equal(store.attempts.length, 2);
  const rows = store.rows();
  t.equal(rows.length, taken * 1_000);
  t.ok(rows.every(({ histogram }) => histogram.length === 1 && histogram[0]?.[1] === 1));
});

t.test('a close delivers what was acknowledged, and refuses the rest', async (t) => {
  const { folder, commit, left, add, done, endpoints, until } = await setUp(t);
  const sent = add('/a');
  let isClosed = false;
  void commit.close().then(() => {
    isClosed = true;
  });
  const refused = add('/b');
  await until('it has closed', () => isClosed);
  await done(sent, refused);
  t.strictSame([sent.state, refusal(refused)], ['acknowledged', ['shuttingDown', 1]]);
  t.strictSame(endpoints(), ['1 /a']);
  t.strictSame([left, await readdir(folder)], [[], []]);
});

t.test('a close leaves on the disk what the store does not take within 5 s', async (t) => {
  const { pass, folder, store, commit, left, add, done, until } = await setUp(t);
  store.behaviour = 'hang';
  await done(add('/a'));
  let isClosed = false;
  void commit.close().then(() => {
    isClosed = true;
  });
  await until('the block is on its way', () => store.attempts.length > 0);
  await pass(4_800);
  t.equal(isClosed, false);
  await pass(400);
  t.equal(isClosed, true);
  t.match(left, [{ token: 'f.1' }]);
  t.strictSame(await recordsIn(folder), [1]);
});

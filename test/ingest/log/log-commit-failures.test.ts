import t from 'tap';
import { deferred } from '../../../lib/deferred.js';
import { refusal, setUp } from './log-commit-support.js';

t.test('a failed write refuses its senders, and what was acknowledged before it is delivered', async (t) => {
  const { pass, disk, store, add, done, delivered, endpoints } = await setUp(t);
  const first = add('/a');
  await done(first);
  disk.sync = deferred<void>();
  disk.writeError = new Error('The disk is full.');
  const failed = [add('/b'), add('/c')];
  await done(...failed);
  disk.sync = undefined;
  const next = add('/d');
  await done(next);
  t.strictSame(failed.map(refusal), [
    ['storeUnavailable', 2],
    ['storeUnavailable', 2],
  ]);
  t.strictSame([first.state, next.state], ['acknowledged', 'acknowledged']);
  await pass(1_000);
  await delivered();
  t.strictSame(endpoints(), ['1 /a', '1 /d']);
  t.equal(store.attempts.length, 2);
});

t.test('a write behind one that has failed in the same file is refused as well', async (t) => {
  const { pass, disk, add, done, delivered, endpoints } = await setUp(t);
  await done(add('/a'));
  disk.sync = deferred<void>();
  const late = add('/b', 1_000);
  await pass(900);
  const waiting = add('/c');
  disk.sync.resolve();
  await done(late, waiting);
  t.strictSame([late, waiting].map(refusal), [
    ['storeUnavailable', 2],
    ['storeUnavailable', 2],
  ]);
  const next = add('/d');
  await done(next);
  await pass(1_000);
  await delivered();
  t.strictSame(endpoints(), ['1 /a', '1 /d']);
});

t.test('a batch whose sender is nearly answered is refused alone, not with those beside it', async (t) => {
  const { disk, add, done } = await setUp(t);
  disk.sync = deferred<void>();
  const first = add('/a');
  const fresh = add('/b');
  const late = add('/late', 999);
  disk.sync.resolve();
  await done(first, fresh, late);
  t.strictSame(refusal(late), ['storeBusy', 1]);
  t.strictSame([first.state, fresh.state], ['acknowledged', 'acknowledged']);
});

t.test('a file that cannot be created refuses its senders; the next one is tried again', async (t) => {
  const { pass, disk, add, done, delivered, endpoints } = await setUp(t);
  disk.createError = new Error('The disk is read-only.');
  const refused = add('/a');
  await done(refused);
  t.strictSame(refusal(refused), ['storeUnavailable', 2]);
  disk.createError = undefined;
  await done(add('/b'));
  await pass(1_000);
  await delivered();
  t.strictSame(endpoints(), ['1 /b']);
});

t.test('a file that cannot be closed is delivered', async (t) => {
  const { pass, disk, add, done, delivered, endpoints } = await setUp(t);
  disk.closeError = new Error('The disk is gone.');
  await done(add('/a'));
  await pass(1_000);
  await delivered();
  t.strictSame(endpoints(), ['1 /a']);
});

t.test(
  'a disk that hangs refuses new batches after 7 s, and stores nothing of what it refused',
  async (t) => {
    const { pass, disk, add, done, delivered, endpoints } = await setUp(t);
    disk.sync = deferred<void>();
    const late = add('/a');
    await pass(6_900);
    const waiting = add('/b');
    await pass(200);
    const refused = add('/c');
    await pass(1_200);
    t.strictSame(refusal(refused), ['storeBusy', 5]);
    disk.sync.resolve();
    await done(late, waiting);
    t.strictSame(refusal(late), ['storeUnavailable', 2], 'its sender sends again');
    t.equal(waiting.state, 'acknowledged');
    await pass(2_000);
    await delivered();
    t.strictSame(endpoints(), ['1 /b']);
  },
);

t.test('a full log refuses batches until something has been delivered', async (t) => {
  const { pass, store, space, add, done, delivered } = await setUp(t, { bytesMax: 100 });
  store.behaviour = 'fail';
  await done(add('/a'));
  t.equal(space.isFull, true);
  const refused = add('/b');
  await done(refused);
  t.strictSame(refusal(refused), ['storeBusy', 5]);
  store.behaviour = 'store';
  await pass(1_000);
  await delivered();
  const taken = add('/c');
  await done(taken);
  t.equal(taken.state, 'acknowledged');
});

import { getEventListeners } from 'node:events';
import t from 'tap';
import { createLimiter } from '../../lib/limiter.js';

/** Takes a slot, which must be free. */
const taken = <T>(slot: T | undefined): T => {
  if (slot === undefined) throw new Error('No slot is free.');
  return slot;
};

t.test('slots are bounded for each key and in all', async (t) => {
  const limiter = createLimiter<string>({ max: 3, maxPerKey: 2 });
  const release = taken(limiter.tryTake('a'));
  taken(limiter.tryTake('a'));
  t.equal(limiter.tryTake('a'), undefined, 'the key is at its limit');
  taken(limiter.tryTake('b'));
  t.equal(limiter.tryTake('c'), undefined, 'all slots are taken');
  t.strictSame(
    [...limiter.running],
    [
      ['a', 2],
      ['b', 1],
    ],
  );
  release();
  release();
  t.equal(limiter.size, 2, 'a second release does nothing');
  taken(limiter.tryTake('c'));
  t.equal(limiter.tryTake('c'), undefined);
});

t.test('a free slot goes to the caller that has waited longest and may start', async (t) => {
  const limiter = createLimiter<string>({ max: 2, maxPerKey: 1 });
  const started: string[] = [];
  const releaseA = taken(limiter.tryTake('a'));
  const releaseB = taken(limiter.tryTake('b'));
  const waiting = ['a', 'c', 'b'].map(async (key) => {
    const release = taken(await limiter.take(key));
    started.push(key);
    return release;
  });
  releaseB();
  (await waiting[1])?.();
  (await waiting[2])?.();
  t.strictSame(started, ['c', 'b'], 'a key at its limit does not hold up the others');
  releaseA();
  (await waiting[0])?.();
  t.strictSame(started, ['c', 'b', 'a']);
  t.equal(limiter.size, 0);
  t.equal(limiter.running.size, 0, 'nothing is kept of keys without work');
});

t.test('a free slot goes to the key that runs least', async (t) => {
  const limiter = createLimiter<string>({ max: 3, maxPerKey: 3 });
  const releases = [1, 2, 3].map(() => taken(limiter.tryTake('a')));
  const started: string[] = [];
  const waiting = ['a', 'a', 'b'].map(async (key) => {
    await limiter.take(key);
    started.push(key);
  });
  releases[0]?.();
  await waiting[2];
  t.strictSame(started, ['b'], 'and not to the one that has waited longest');
  for (const release of releases) release();
  await Promise.all(waiting);
  t.strictSame(started, ['b', 'a', 'a']);
});

t.test('no more wait in all than may', async (t) => {
  const limiter = createLimiter<string>({ maxPerKey: 1, waitingMax: 2 });
  const releases = ['a', 'b', 'c'].map((key) => taken(limiter.tryTake(key)));
  const waiting = [limiter.take('a'), limiter.take('b')];
  t.equal(await limiter.take('c'), undefined);
  for (const release of releases) release();
  for (const one of waiting) taken(await one);
});

t.test('no more wait for a key than may', async (t) => {
  const limiter = createLimiter<string>({ maxPerKey: 1, waitingMaxPerKey: 1 });
  const release = taken(await limiter.take('a'));
  const second = limiter.take('a');
  t.equal(await limiter.take('a'), undefined);
  taken(await limiter.take('b'));
  release();
  taken(await second);
});

t.test('a wait ends with its signal, and leaves nothing behind', async (t) => {
  const limiter = createLimiter<string>({ maxPerKey: 1 });
  const release = taken(await limiter.take('a'));
  const leaving = new AbortController();
  const waiting = limiter.take('a', leaving.signal);
  leaving.abort(new Error('the client left'));
  await t.rejects(waiting, { message: 'the client left' });
  t.strictSame(getEventListeners(leaving.signal, 'abort'), []);
  await t.rejects(limiter.take('b', leaving.signal), { message: 'the client left' });
  release();
  t.equal(limiter.size, 0, 'the slot is not given to one that has left');
});

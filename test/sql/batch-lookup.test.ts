import t from 'tap';
import { deferred } from '../../lib/deferred.js';
import { type BatchLookupOptions, createBatchLookup } from '../../sql/batch-lookup.js';
import { likeServiceError } from '../support/like-service-error.js';

/** A lookup whose loads wait until the test answers them. Keys that begin with `x` do not exist. */
function makeLookup({
  keysMax = 100,
  waitingMax = 100,
  ...options
}: Partial<BatchLookupOptions<string, string>> = {}) {
  const loads: { keys: string[]; answer(): void; fail(): void }[] = [];
  let shed = 0;
  const lookUp = createBatchLookup<string, string>({
    ...{ keysMax, waitingMax, ...options },
    load(keys) {
      const { promise, resolve, reject } = deferred<Map<string, string>>();
      const known = keys.filter((key) => !key.startsWith('x'));
      loads.push({
        keys,
        answer: () => resolve(new Map(known.map((key) => [key, `value of ${key}`]))),
        fail: () => reject(new Error('The store is unavailable.')),
      });
      return promise;
    },
    onShed: () => {
      shed += 1;
    },
  });
  /** Answers the loads from one place to before another; each begins when the one before it has its answer. */
  async function answerEach(from: number, to: number): Promise<void> {
    for (let place = from; place < to; place += 1) {
      loads[place]?.answer();
      await new Promise(setImmediate);
    }
  }
  return { lookUp, loads, answerEach, shed: () => shed };
}

t.test('the keys that arrive during a load go into the next one, each once', async (t) => {
  const { lookUp, loads } = makeLookup();
  const first = lookUp('a');
  const others = ['b', 'c', 'b', 'xd'].map((key) => lookUp(key));
  t.strictSame(
    loads.map(({ keys }) => keys),
    [['a']],
    'the first key waits for nothing',
  );
  loads[0]?.answer();
  t.equal(await first, 'value of a');
  await new Promise(setImmediate);
  t.strictSame(loads[1]?.keys, ['b', 'c', 'xd']);
  loads[1]?.answer();
  t.strictSame(await Promise.all(others), ['value of b', 'value of c', 'value of b', undefined]);
  t.equal(loads.length, 2);
});

t.test('a load has no more keys than may', async (t) => {
  const { lookUp, loads, answerEach } = makeLookup({ keysMax: 2 });
  const all = Promise.all(['a', 'b', 'c', 'd'].map((key) => lookUp(key)));
  await answerEach(0, 3);
  await all;
  t.strictSame(
    loads.map(({ keys }) => keys),
    [['a'], ['b', 'c'], ['d']],
  );
});

t.test('further keys are refused while too many wait', async (t) => {
  const { lookUp, loads, shed } = makeLookup({ waitingMax: 2 });
  const asked = ['a', 'b', 'c'].map((key) => lookUp(key));
  await t.rejects(lookUp('d'), likeServiceError('overloaded', { retryAfterSeconds: 2 }));
  t.equal(shed(), 1);
  const again = lookUp('c');
  loads[0]?.answer();
  await new Promise(setImmediate);
  loads[1]?.answer();
  await Promise.all([...asked, again]);
  t.equal(loads.length, 2, 'a key that waits already is no further one');
});

t.test('a failed load fails its own keys only', async (t) => {
  const { lookUp, loads } = makeLookup();
  const [first, second] = [lookUp('a'), lookUp('b')];
  loads[0]?.fail();
  await t.rejects(first, /unavailable/);
  await new Promise(setImmediate);
  loads[1]?.answer();
  t.equal(await second, 'value of b');
});

t.test('while more keys wait, only so many a second are loaded', async (t) => {
  const { lookUp, loads } = makeLookup({ keysMax: 1, keysPerSecond: 10 });
  const startedAt = performance.now();
  const [first, second] = [lookUp('a'), lookUp('b')];
  loads[0]?.answer();
  await first;
  while (loads.length < 2) await new Promise(setImmediate);
  t.ok(performance.now() - startedAt > 90, 'the second load waits');
  loads[1]?.answer();
  t.equal(await second, 'value of b');
  await new Promise(setImmediate);
  const third = lookUp('c');
  t.equal(loads.length, 3, 'a key that comes alone waits for nothing');
  loads[2]?.answer();
  await third;
});

t.test('groups take turns', async (t) => {
  const { lookUp, loads, answerEach } = makeLookup({ keysMax: 3, groupOf: ([group = '']) => group });
  const all = Promise.all(['x0', 'x1', 'x2', 'x3', 'a1', 'b1'].map((key) => lookUp(key)));
  await answerEach(0, 3);
  await all;
  t.strictSame(
    loads.map(({ keys }) => keys),
    [['x0'], ['x1', 'a1', 'b1'], ['x2', 'x3']],
  );
});

t.test('a group whose keys wait in great number leaves room for those of others', async (t) => {
  const { lookUp, loads, answerEach, shed } = makeLookup({
    ...{ waitingMax: 4, waitingMaxPerGroup: 2, groupOf: ([group = '']) => group },
  });
  const asked = ['x0', 'x1', 'x2', 'a1'].map((key) => lookUp(key));
  await t.rejects(lookUp('x3'), likeServiceError('overloaded', { retryAfterSeconds: 2 }));
  asked.push(lookUp('b1'));
  await t.rejects(lookUp('c1'), likeServiceError('overloaded'), 'those of all groups are bounded as well');
  t.equal(shed(), 2);
  loads[0]?.answer();
  await new Promise(setImmediate);
  asked.push(lookUp('x3'), lookUp('x4'));
  await t.rejects(lookUp('x5'), likeServiceError('overloaded'), 'a key counts until its load begins');
  await answerEach(1, 3);
  await Promise.all(asked);
});

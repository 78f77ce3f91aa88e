import t from 'tap';
import { deferred } from '../../lib/deferred.js';
import { shareNextResult, shareResult } from '../../lib/share-result.js';
import { makeStoppedClock } from '../support/moving-clock.js';

function makeShared() {
  const clock = makeStoppedClock();
  const loads = [deferred<string>()];
  let started = 0;
  const shared = shareResult(
    () => {
      const load = deferred<string>();
      loads[started] = load;
      started += 1;
      return load.promise;
    },
    { clock, freshMs: 1_000 },
  );
  return { clock, shared, loads, started: () => started };
}

t.test('calls share one result while it is fresh', async (t) => {
  const { clock, shared, loads, started } = makeShared();
  const asked = [shared(), shared()];
  loads[0]?.resolve('first');
  t.strictSame(await Promise.all(asked), ['first', 'first']);
  clock.advance(999);
  t.equal(await shared(), 'first');
  t.equal(started(), 1);
  clock.advance(1);
  const next = shared();
  loads[1]?.resolve('second');
  t.equal(await next, 'second');
});

t.test('and while it is loaded, however long that takes', async (t) => {
  const { clock, shared, loads, started } = makeShared();
  const first = shared();
  clock.advance(60_000);
  const later = shared();
  t.equal(started(), 1);
  loads[0]?.resolve('late');
  t.strictSame(await Promise.all([first, later]), ['late', 'late']);
  void shared();
  t.equal(started(), 2, 'then it is old');
});

t.test('a rejection is shared, and does not last longer', async (t) => {
  const { clock, shared, loads, started } = makeShared();
  const asked = [shared(), shared()];
  loads[0]?.reject(new Error('No answer.'));
  for (const one of [...asked, shared()]) await t.rejects(one, { message: 'No answer.' });
  t.equal(started(), 1);
  clock.advance(1_000);
  const next = shared();
  loads[1]?.resolve('there');
  t.equal(await next, 'there');
});

t.test('a clock that was put back makes the result old', async (t) => {
  const { clock, shared, loads, started } = makeShared();
  loads[0]?.resolve('first');
  void shared();
  loads[0]?.resolve('first');
  await shared();
  clock.advance(-3_600_000);
  void shared();
  t.equal(started(), 2);
});

t.test('a call during a run gets the next one, which begins later and is shared', async (t) => {
  const runs: { key: string; load: ReturnType<typeof deferred<number>> }[] = [];
  const shared = shareNextResult((key: string) => {
    const load = deferred<number>();
    runs.push({ key, load });
    return load.promise;
  });
  const first = shared('a');
  const next = [shared('a'), shared('a')];
  const other = shared('b');
  t.strictSame(
    runs.map(({ key }) => key),
    ['a', 'b'],
    'one at a time for a key',
  );
  runs[0]?.load.reject(new Error('No answer.'));
  runs[1]?.load.resolve(2);
  await t.rejects(first, { message: 'No answer.' });
  t.equal(await other, 2);
  t.equal(runs.length, 3, 'a run that failed is followed by the next');
  runs[2]?.load.resolve(3);
  t.strictSame(await Promise.all(next), [3, 3]);
  void shared('a');
  t.equal(runs.length, 4, 'nothing is kept');
});

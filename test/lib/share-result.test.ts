import t from 'tap';
import { deferred } from '../../lib/deferred.js';
import { shareResult } from '../../lib/share-result.js';
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

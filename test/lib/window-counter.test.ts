import t from 'tap';
import { createUsedUp, createWindowCounter } from '../../lib/window-counter.js';

function makeClock(): { now(): number; at: number } {
  return {
    at: 1_000_000,
    now() {
      return this.at;
    },
  };
}

t.test('a window begins with the first count of its key and ends with its time', async (t) => {
  const clock = makeClock();
  const counter = createWindowCounter({ clock, windowMs: 1_000, keysMax: 10 });
  t.equal(counter.count('a', 2), undefined);
  clock.at += 400;
  t.equal(counter.count('a', 2), undefined);
  t.equal(counter.count('a', 2), 600);
  t.equal(counter.count('b', 2), undefined, 'keys are counted apart');
  clock.at += 599;
  t.equal(counter.count('a', 2), 1);
  clock.at += 1;
  t.equal(counter.count('a', 2), undefined);
});

t.test('a clock that is put back makes no window longer', async (t) => {
  const clock = makeClock();
  const counter = createWindowCounter({ clock, windowMs: 1_000, keysMax: 10 });
  counter.count('a', 1);
  t.equal(counter.count('a', 1), 1_000);
  clock.at -= 1;
  t.equal(counter.count('a', 1), undefined);
});

t.test('the key that was silent longest is forgotten first', async (t) => {
  const counter = createWindowCounter({ clock: makeClock(), windowMs: 1_000, keysMax: 2 });
  for (const key of ['a', 'b', 'a', 'c']) counter.count(key, 2);
  t.equal(counter.count('a', 2), 1_000);
  t.equal(counter.count('b', 1), undefined);
});

t.test('a window that is used up is known until it ends', async (t) => {
  const clock = makeClock();
  const usedUp = createUsedUp({ clock, msMax: 60_000, keysMax: 10 });
  t.equal(usedUp.msLeft('a'), undefined);
  usedUp.note('a', 500);
  t.equal(usedUp.msLeft('a'), 500);
  clock.at += 500;
  t.equal(usedUp.msLeft('a'), undefined);
  usedUp.note('a', 60_000);
  clock.at -= 1;
  t.equal(usedUp.msLeft('a'), undefined, 'the clock was put back');
});

import t from 'tap';
import { createTimeouts } from '../../lib/timeouts.js';
import { stopTime } from '../support/fake-time.js';

const timers = (count: number, ended: number[]) =>
  Array.from({ length: count }, (_, i) => ({ dueAt: 0, onTimeout: () => void ended.push(i) }));

t.test('each ends in its own time, unless it is stopped', async (t) => {
  const advance = stopTime(t);
  const timeouts = createTimeouts(1_000);
  const ended: number[] = [];
  const [a, b, c, d] = timers(4, ended);
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('Too few.');
  timeouts.start(a);
  await advance(400);
  timeouts.start(b);
  timeouts.start(c);
  await advance(590);
  t.strictSame(ended, []);
  timeouts.stop(b);
  timeouts.stop(b);
  await advance(20);
  t.strictSame(ended, [0]);
  timeouts.start(d);
  await advance(400);
  t.strictSame(ended, [0, 2]);
  await advance(600);
  t.strictSame(ended, [0, 2, 3]);
  await advance(3_000);
  t.strictSame(ended, [0, 2, 3]);
});

t.test('one that starts after all others have ended runs its whole time', async (t) => {
  const advance = stopTime(t);
  const timeouts = createTimeouts(1_000);
  const ended: number[] = [];
  const [a, b] = timers(2, ended);
  if (a === undefined || b === undefined) throw new Error('Too few.');
  timeouts.start(a);
  await advance(900);
  timeouts.stop(a);
  timeouts.start(b);
  await advance(980);
  t.strictSame(ended, []);
  await advance(40);
  t.strictSame(ended, [1]);
});

t.test('one may start another one, and stop one that is due at the same time', async (t) => {
  const advance = stopTime(t);
  const timeouts = createTimeouts(100);
  const ended: string[] = [];
  const third = { dueAt: 0, onTimeout: () => void ended.push('third') };
  const second = { dueAt: 0, onTimeout: () => void ended.push('second') };
  timeouts.start({
    dueAt: 0,
    onTimeout() {
      ended.push('first');
      timeouts.stop(second);
      timeouts.start(third);
    },
  });
  timeouts.start(second);
  await advance(110);
  t.strictSame(ended, ['first']);
  await advance(110);
  t.strictSame(ended, ['first', 'third']);
});

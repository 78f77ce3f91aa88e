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

t.test('one that is started again runs its whole time, and holds no other one up', async (t) => {
  const advance = stopTime(t);
  const timeouts = createTimeouts(1_000);
  const ended: number[] = [];
  const [a, b] = timers(2, ended);
  if (a === undefined || b === undefined) throw new Error('Too few.');
  timeouts.start(a);
  await advance(400);
  timeouts.start(b);
  await advance(400);
  timeouts.start(a);
  await advance(620);
  t.strictSame(ended, [1]);
  await advance(400);
  t.strictSame(ended, [1, 0]);
});

t.test('one that throws keeps no other one from ending', async (t) => {
  const advance = stopTime(t);
  const timeouts = createTimeouts(100);
  const ended: number[] = [];
  const [a, b] = timers(2, ended);
  if (a === undefined || b === undefined) throw new Error('Too few.');
  timeouts.start({
    dueAt: 0,
    onTimeout() {
      throw new Error('It failed.');
    },
  });
  timeouts.start(a);
  await t.rejects(advance(110), { message: 'It failed.' });
  await advance(20);
  t.strictSame(ended, [0]);
  timeouts.start(b);
  await advance(110);
  t.strictSame(ended, [0, 1]);
});

t.test('one timer of Node.js runs, also when one starts another while more wait', async (t) => {
  const advance = stopTime(t);
  const set = t.capture(globalThis, 'setTimeout', globalThis.setTimeout);
  const timeouts = createTimeouts(100);
  const ended: number[] = [];
  const [a, b] = timers(2, ended);
  if (a === undefined || b === undefined) throw new Error('Too few.');
  timeouts.start({ dueAt: 0, onTimeout: () => timeouts.start(b) });
  await advance(50);
  timeouts.start(a);
  await advance(60);
  t.equal(set().length, 2, 'the first one, and the next');
  await advance(200);
  t.strictSame(ended, [0, 1]);
});
